// Interaction groups of a window, found by asking only pairs of groups that have grown, are those found by asking all
// pairs again until nothing changes.
#include "kernel_scene.h"

#include <random>

namespace {

/// Balls, and boxes among them, in a heap on a floor: fast and slow ones, some in touch from the start.
SceneBuilder heap(unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> any(-1, 1);
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, 0.5, 0.3);
    b.ground();
    const unsigned side = 3 + seed % 3;
    for (unsigned k = 0; k < side * side * side; k++) {
        const double gap = 0.1 + 0.002 * (seed % 5);
        const double x = gap * (k % side), y = gap * (k / side % side), z = 0.0501 + gap * (k / side / side);
        if (k % 7 == 6) {
            b.body("box", false, {x, y, z});
            b.shape(SHAPE_BOX, {0.06, 0.06, 0.06, 0});
        } else {
            b.ball(0.1 + 0.0002 * (k % 3), {x, y, z});
        }
        for (double &v : b.bodies.back().velocity_m_per_s) v = (k % 4 == 0 ? 2 : 0.1) * any(engine);
    }
    b.scene.end_s = 0.1;
    return b;
}

// What is told of each body and candidate.
struct Told {
    std::vector<uint32_t> groups, interacts, ties;
    std::vector<double> reaches;
};

Told told(const KernelScene &k) {
    Told all;
    for (const BodyWork &work : k.works) {
        all.groups.push_back(work.group.number);
        all.interacts.push_back(work.group.interacts);
        all.reaches.push_back(work.group.reach_m);
    }
    for (uint32_t i = 0; i < k.progress.candidate_count; i++) all.ties.push_back(k.candidates[i].ties);
    return all;
}

/// Energy and mass of each group, summed over its bodies and contacts, and how far its bodies reach.
void take_reaches(KernelScene &k, double h) {
    const double gravity = vec3_length(k.view.scene->gravity_m_per_s2);
    const uint32_t bodies = k.view.scene->body_count;
    std::vector<double> energy(bodies, 0), mass(bodies, 0);
    for (uint32_t b = 0; b < bodies; b++) {
        if (!body_moves(&k.view, b)) continue;
        energy[k.works[b].group.number] += body_kinetic_energy(&k.view, b);
        mass[k.works[b].group.number] += k.view.bodies[b].mass_kg;
    }
    for (uint32_t c = 0; c < k.progress.contact_count; c++) {
        const Contact &contact = k.contacts[c];
        const uint32_t body =
            group_body_is_free(&k.view, contact.pair.body_a) ? contact.pair.body_a : contact.pair.body_b;
        energy[k.works[body].group.number] += coupling_energy(&k.view, &contact);
    }
    for (uint32_t b = 0; b < bodies; b++) {
        k.works[b].group.energy_J = energy[b];
        k.works[b].group.unit_speed = std::sqrt(2.0) * (std::sqrt(energy[b]) + gravity * h * std::sqrt(0.5 * mass[b]));
    }
    for (uint32_t b = 0; b < bodies; b++) group_bound_path(&k.view, b, gravity, h);
}

/// All pairs, again and again; labels are spread by comparing, without rings or lists.
Told by_asking_all(KernelScene &k, double h) {
    for (uint32_t i = 0; i < k.progress.candidate_count; i++) k.candidates[i].ties = TIES_NOT;
    for (uint32_t b = 0; b < k.works.size(); b++) {
        k.works[b].group.number = b;
        k.works[b].group.interacts = k.works[b].mode != MODE_FLYING;
    }
    std::vector<std::pair<uint32_t, uint32_t>> tied;
    for (uint32_t c = 0; c < k.progress.contact_count; c++) {
        const uint32_t a = k.contacts[c].pair.body_a, b = k.contacts[c].pair.body_b;
        k.works[a].group.interacts = k.works[b].group.interacts = 1;
        if (group_body_is_free(&k.view, a) & group_body_is_free(&k.view, b)) tied.push_back({a, b});
    }
    for (bool changed = true; changed;) {
        for (bool spreads = true; spreads;) {
            spreads = false;
            for (const auto &[a, b] : tied) {
                const uint32_t least = std::min(k.works[a].group.number, k.works[b].group.number);
                spreads |= k.works[a].group.number != k.works[b].group.number;
                k.works[a].group.number = k.works[b].group.number = least;
            }
        }
        take_reaches(k, h);
        changed = false;
        for (uint32_t i = 0; i < k.progress.candidate_count; i++) {
            uint32_t looks = 0;
            changed |= group_pair_ties(&k.view, i, h, &looks) != 0;
        }
        for (uint32_t i = 0; i < k.progress.candidate_count; i++) {
            Candidate &candidate = k.candidates[i];
            if (candidate.ties != TIES_NEW) continue;
            candidate.ties = TIES_MAY;
            k.works[candidate.body_a].group.interacts = k.works[candidate.body_b].group.interacts = 1;
            if (group_body_is_free(&k.view, candidate.body_a) & group_body_is_free(&k.view, candidate.body_b))
                tied.push_back({candidate.body_a, candidate.body_b});
        }
    }
    return told(k);
}

// Groups of a window of h, with the lists that it wants.
uint32_t find_groups(KernelScene &k, double h, uint32_t spare) {
    uint32_t found = GROUPS_LIST, iteration = 0;
    while ((found = group_find(&k.view, &k.progress, h, spare, &iteration)) == GROUPS_LIST) {
        active_renew_candidates(&k.view, &k.progress, h, 1.0);
        gaps_evaluate(&k.view, &k.progress, k.progress.gap_index, 0.0, 1);
    }
    return found;
}

TEST(InteractionGroups, AreThoseOfAskingAllPairs) {
    unsigned several = 0, tied = 0;
    for (unsigned seed = 0; seed < 30; seed++) {
        for (const double h : {1e-5, 1e-4, 3e-4, 1e-3}) {
            SceneBuilder b = heap(seed);
            KernelScene k(b);
            ASSERT_GT(k.progress.contact_count, 0u);
            window_store_speeds(&k.view);
            k.view.slot->close_count = NONE;
            if (seed % 2 == 1) (void)find_groups(k, 2 * h, 2); // tells which pairs a shorter one queries
            ASSERT_EQ(find_groups(k, h, NONE), GROUPS_FOUND);
            const Told found = told(k), all = by_asking_all(k, h);
            EXPECT_EQ(found.groups, all.groups) << seed << " " << h;
            EXPECT_EQ(found.interacts, all.interacts) << seed << " " << h;
            ASSERT_EQ(found.ties.size(), all.ties.size());
            for (size_t i = 0; i < found.ties.size(); i++)
                EXPECT_EQ(found.ties[i] != 0, all.ties[i] != 0) << seed << " " << h << " " << i;
            for (size_t i = 0; i < found.reaches.size(); i++)
                EXPECT_NEAR(found.reaches[i], all.reaches[i], 1e-12 + 1e-12 * all.reaches[i])
                    << seed << " " << h << " " << i;
            std::vector<uint32_t> sizes(found.groups.size(), 0);
            for (uint32_t group : found.groups) sizes[group]++;
            several += *std::max_element(sizes.begin(), sizes.end()) > 3;
            tied += std::count(found.ties.begin(), found.ties.end(), TIES_MAY) > 0;
        }
    }
    std::printf("of 120 windows %u with groups of more than three, %u with ties\n", several, tied);
    EXPECT_GT(several, 20u);
    EXPECT_GT(tied, 60u);
}

// How many make a crowd is a share of those that are free, whoever else there is.
TEST(InteractionGroups, FixedBodiesMakeNoCrowd) {
    for (const unsigned fixed : {0u, 30u}) {
        SceneBuilder b = heap(1); // 64 balls and boxes
        for (unsigned k = 0; k < fixed; k++) {
            b.ball(0.1, {5.0 + k, 0, 1});
            b.bodies.back().is_fixed = 1;
        }
        KernelScene k(b);
        window_store_speeds(&k.view);
        GroupLimits limits{};
        limits.h = 1e-4;
        (void)group_begin(&k.view, &k.progress, 1, &limits);
        uint32_t largest = 0;
        for (const BodyWork &work : k.works) largest = std::max(largest, work.group.body_count);
        EXPECT_EQ(limits.most, largest + 3);
    }
}

} // namespace
