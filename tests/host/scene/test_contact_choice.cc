// Which contact constants a study's `material`, `contact_material`, `contact_radius` and `smoothing` choose,
// for every shape, against numbers by hand.
#include "law/law_damping.h"
#include "study_text.h"
#include "base/vec3.h"

namespace {

constexpr double G = 9.81;

double plane_strain(double young, double poisson) { return young / (1 - poisson * poisson); }

// Hertz's K of two materials and an effective radius.
double hertz(double c1, double c2, double radius) { return 4.0 / 3 * c1 * c2 / (c1 + c2) * std::sqrt(radius); }

const double STEEL = plane_strain(2e11, 0.3), WOOD = plane_strain(1.1e10, 0.4), ALUMINIUM = plane_strain(6.9e10, 0.32);

std::string scene_of(const std::string &body, const std::string &other, const std::string &more = "") {
    return "format: 1\nscene:\n" + more +
           "  pairs:\n"
           "    - {between: [aluminium, aluminium], restitution: 0, friction: 0}\n"
           "    - {between: [aluminium, steel], restitution: 0, friction: 0}\n"
           "  bodies:\n    floor: {fixed: true, " +
           other + "}\n    body: {" + body + "}\nsolver: {end: 0.2, freeze: false}\n";
}

// Constants of a contact between the first shapes of the two bodies.
LawConstants constants(const StudyText &study) {
    Batch batch{};
    const Capacities room{8, 8, 8, 0, 0, 0, 0};
    const uint64_t number = 0;
    EXPECT_EQ(stage_pack(study.study, &study.scene, &number, &room, 1, &batch, nullptr), CLACK_OK);
    const Shape a = batch.shapes[0], b = batch.shapes[1];
    const MaterialPairLaw law = batch.laws[a.material * batch.scenes[0].material_count + b.material];
    stage_free(&batch);
    const u32 flat = SHAPE_FLAT;
    return law_begin(law, law_radius_m(a.contact_radius_m, a.flags & flat, b.contact_radius_m, b.flags & flat), 1);
}

struct Kind {
    const char *text;
    bool is_flat;
};

// Every shape, sized so that its radius of contact is 0.1 m.
const Kind kinds[] = {{"sphere: {diameter: 0.2}", false},
                      {"box: {lengths: [0.3, 0.2, 0.4]}", true},
                      {"capsule: {diameter: 0.2, length: 0.5}", false},
                      {"ellipsoid: {lengths: [0.3, 0.4, 0.2]}", false},
                      {"cylinder: {diameter: 0.3, length: 0.2}", false},
                      {"cone: {diameter: 0.3, top_diameter: 0.1, length: 0.2}", false},
                      {"beam: {length: 0.3, width: 0.2, thickness: 0.4}", true}};

// Partners: radius of contact; 0 without end.
const struct {
    const char *text;
    bool is_flat;
    double radius;
} partners[] = {
    {"half_space: {}", true, 0}, {"box: {lengths: [1, 1, 0.6]}", true, 0.3}, {"sphere: {diameter: 0.4}", false, 0.2}};

TEST(ContactChoice, RadiusOfEveryShapeAgainstEveryKindOfPartner) {
    for (const Kind &kind : kinds) {
        for (const auto &partner : partners) {
            for (double given : {0.0, 0.025}) {
                const std::string extra = given > 0 ? ", contact_radius: " + std::to_string(given) : "";
                StudyText study(
                    scene_of("material: steel, shapes: [{" + std::string(kind.text) + extra + "}], position: [0, 0, 5]",
                             "material: steel, shapes: [{" + std::string(partner.text) + "}]"));
                ASSERT_TRUE(study.is_ok()) << kind.text << study.lines[0];
                const double r = given > 0 ? given : 0.1;
                double radius = partner.radius > 0 ? r * partner.radius / (r + partner.radius) : r;
                if (kind.is_flat && !partner.is_flat) radius = partner.radius; // r is ignored
                if (!kind.is_flat && partner.is_flat) radius = r;
                const LawConstants law = constants(study);
                EXPECT_NEAR(law.radius_m, radius, 1e-15) << kind.text << partner.text;
                const double wanted = hertz(STEEL, STEEL, radius);
                EXPECT_NEAR(law.stiffness, wanted, 1e-12 * wanted) << kind.text << partner.text;
            }
        }
    }
}

// A radius of contact on the partner counts where the partner's own would.
TEST(ContactChoice, ARadiusOnThePartner) {
    for (const Kind &kind : kinds) {
        StudyText study(scene_of("material: steel, shapes: [{" + std::string(kind.text) + "}], position: [0, 0, 5]",
                                 "material: steel, shapes: [{half_space: {}, contact_radius: 0.4}]"));
        ASSERT_TRUE(study.is_ok());
        EXPECT_NEAR(constants(study).radius_m, kind.is_flat ? 0.1 * 0.4 / 0.5 : 0.1, 1e-15);
    }
}

// Density by `material`, stiffness by `contact_material`, on the body or the shape.
TEST(ContactChoice, MaterialsOfBodyAndShape) {
    const struct {
        const char *body, *shape;
        double density, contact;
    } cases[] = {
        {"material: dry_wood, ", "", 700, WOOD},
        {"material: dry_wood, contact_material: steel, ", "", 700, STEEL},
        {"material: dry_wood, ", ", contact_material: aluminium", 700, ALUMINIUM},
        {"material: dry_wood, contact_material: steel, ", ", contact_material: aluminium", 700, ALUMINIUM},
        {"material: dry_wood, contact_material: steel, ", ", material: aluminium", 2700, STEEL},
        {"material: dry_wood, ", ", material: aluminium", 2700, ALUMINIUM},
        {"", ", material: aluminium, contact_material: steel", 2700, STEEL},
        {"contact_material: steel, ", ", material: aluminium", 2700, STEEL},
    };
    for (const Kind &kind : kinds) {
        for (const auto &one : cases) {
            const std::string body =
                std::string(one.body) + "shapes: [{" + kind.text + one.shape + "}], position: [0, 0, 5]";
            StudyText study(scene_of(body, "material: steel, shapes: [{half_space: {}}]", "  reduction: 0.5\n"));
            ASSERT_TRUE(study.is_ok()) << body << study.lines[0];
            const double wanted = 0.5 * hertz(one.contact, STEEL, 0.1);
            EXPECT_NEAR(constants(study).stiffness, wanted, 1e-12 * wanted) << body;
            MassProperties steel{}, mass{};
            ASSERT_EQ(mass_of_body(&study.scene, 1, &mass, nullptr), CLACK_OK);
            StudyText same(scene_of("material: steel, shapes: [{" + std::string(kind.text) + "}]",
                                    "material: steel, shapes: [{half_space: {}}]"));
            ASSERT_EQ(mass_of_body(&same.scene, 1, &steel, nullptr), CLACK_OK);
            EXPECT_NEAR(mass.mass_kg / steel.mass_kg, one.density / 8000, 1e-14) << body;
        }
    }
}

// A body whose mass is given needs no density: what it touches with is enough.
TEST(ContactChoice, ContactMaterialAloneWhereTheMassIsGiven) {
    const std::string floor = "contact_material: steel, shapes: [{half_space: {}}]";
    for (const char *mass : {"mass: 2", "mass: {mass: 2, inertia: [1, 1, 1]}"}) {
        for (const Kind &kind : kinds) {
            StudyText study(scene_of(std::string(mass) + ", contact_material: aluminium, shapes: [{" + kind.text +
                                         "}], position: [0, 0, 5]",
                                     floor));
            ASSERT_TRUE(study.is_ok()) << study.lines[0];
            MassProperties given{};
            ASSERT_EQ(mass_of_body(&study.scene, 1, &given, nullptr), CLACK_OK);
            EXPECT_NEAR(given.mass_kg, 2, 1e-15);
            const double wanted = hertz(ALUMINIUM, STEEL, 0.1);
            EXPECT_NEAR(constants(study).stiffness, wanted, 1e-12 * wanted);
        }
    }
    StudyText without(scene_of("contact_material: aluminium, shapes: [{sphere: {diameter: 1}}]", floor));
    ASSERT_EQ(without.lines.size(), 1u);
    EXPECT_NE(without.lines[0].find("expected the key \"material\""), std::string::npos);
}

// Smoothing changes neither mass nor extent, nor K: the radius of contact is another number.
TEST(ContactChoice, SmoothingOfEveryShapeWithEdges) {
    const char *edged[] = {"box: {lengths: [0.3, 0.2, 0.4]", "cylinder: {diameter: 0.3, length: 0.2",
                           "cone: {diameter: 0.3, top_diameter: 0.1, length: 0.2",
                           "beam: {length: 0.3, width: 0.2, thickness: 0.4"};
    for (const char *text : edged) {
        double inertia = 0;
        for (const char *smoothing : {"", ", smoothing: 0", ", smoothing: 0.03"}) {
            StudyText study(
                scene_of("material: steel, shapes: [{" + std::string(text) + smoothing + "}}], position: [0, 0, 0.6]",
                         "material: steel, shapes: [{half_space: {}}]"));
            ASSERT_TRUE(study.is_ok()) << study.lines[0];
            const double wanted = hertz(STEEL, STEEL, 0.1);
            EXPECT_NEAR(constants(study).stiffness, wanted, 1e-12 * wanted) << text << smoothing;
            Batch batch{};
            const Capacities room{8, 8, 8, 0, 0, 0, 0};
            const uint64_t number = 0;
            ASSERT_EQ(stage_pack(study.study, &study.scene, &number, &room, 1, &batch, nullptr), CLACK_OK);
            const double radius = smoothing[0] == 0 ? 0.001 : atof(smoothing + 13);
            EXPECT_EQ(batch.shapes[1].smoothing_m, radius) << text << smoothing;
            if (inertia > 0) {
                EXPECT_EQ(batch.bodies[1].inertia_kg_m2.x, inertia);
            }
            inertia = batch.bodies[1].inertia_kg_m2.x;
            stage_free(&batch);
            // It touches the ground when its lowest point does: flat below, rounded edges or not.
            StudyText falls(
                scene_of("material: steel, shapes: [{" + std::string(text) + smoothing + "}}], position: [0, 0, 0.6]",
                         "material: steel, shapes: [{half_space: {}}]") +
                "outputs: {events: true}\n");
            falls.scene.end_s = 0.5;
            falls.scene.method = METHOD_EVENTS;
            falls.scene.pairs[0].restitution = 0.9;
            const double below = strncmp(text, "cone", 4) == 0       ? 0
                                 : strncmp(text, "cylinder", 8) == 0 ? 0.1
                                 : strncmp(text, "box", 3) == 0      ? 0.2
                                                                     : 0.25;
            Ran ran = falls.run();
            const auto begins = ran.events_of_kind(EVENT_BEGIN);
            ASSERT_FALSE(begins.empty()) << text << smoothing;
            EXPECT_NEAR(begins[0].time_s, std::sqrt(2 * (0.6 - below) / G), 1e-12) << text << smoothing;
        }
    }
}

// The same by the overlap at rest, (m g / K)^(2/3): the constants arrive where forces are made.
TEST(ContactChoice, OverlapAtRestIsThatOfTheConstantsByHand) {
    const struct {
        const char *body;
        double mass, stiffness;
        int contacts;
        double height; // of the origin at touch
    } cases[] = {{"material: dry_wood, contact_material: aluminium, shapes: [{sphere: {diameter: 0.2}, "
                  "contact_radius: 0.05}]",
                  700 * M_PI / 6 * 0.008, hertz(ALUMINIUM, STEEL, 0.05), 1, 0.1},
                 {"material: steel, mass: 3, shapes: [{ellipsoid: {lengths: [0.2, 0.2, 0.1]}}]", 3,
                  hertz(STEEL, STEEL, 0.05), 1, 0.05},
                 {"material: dry_wood, contact_material: steel, shapes: [{box: {lengths: [0.2, 0.2, 0.1], "
                  "smoothing: 0}, contact_radius: 0.02}]",
                  700 * 0.004, hertz(STEEL, STEEL, 0.02), 4, 0.05},
                 {"contact_material: aluminium, mass: 3, shapes: [{capsule: {diameter: 0.1, length: 0.2, "
                  "axis: x}}]",
                  3, hertz(ALUMINIUM, STEEL, 0.05), 2, 0.05}};
    for (const auto &one : cases) {
        StudyText study(scene_of(std::string(one.body) + ", position: [0, 0, " + std::to_string(one.height) + "]",
                                 "material: steel, shapes: [{half_space: {}}]"));
        ASSERT_TRUE(study.is_ok()) << study.lines[0];
        for (uint32_t i = 0; i < study.scene.pair_count; i++) {
            study.scene.pairs[i].restitution = 0;
            study.scene.pairs[i].friction = 0;
            study.scene.pairs[i].rolling = 0;
        }
        Ran ran = study.run();
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        const double wanted = std::pow(one.mass * G / one.stiffness / one.contacts, 2.0 / 3);
        EXPECT_NEAR((one.height - ran.state(1).position_m.z) / wanted, 1, 1e-5) << one.body;
    }
}

} // namespace
