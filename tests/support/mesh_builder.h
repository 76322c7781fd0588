// Meshes made in code, and texts of mesh files read.
#ifndef CLACK_TESTS_MESH_BUILDER_H
#define CLACK_TESTS_MESH_BUILDER_H

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mesh.h"

namespace meshes {

const double PI = std::acos(-1.0);

struct Soup { // points and triangles
    std::vector<std::array<double, 3>> points;
    std::vector<std::array<uint32_t, 3>> triangles;

    void add(const Soup &other) {
        const uint32_t first = uint32_t(points.size());
        points.insert(points.end(), other.points.begin(), other.points.end());
        for (auto t : other.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    Soup moved(double x, double y, double z, double scale = 1) const {
        Soup out = *this;
        for (auto &p : out.points) p = {scale * p[0] + x, scale * p[1] + y, scale * p[2] + z};
        return out;
    }
    Soup inside_out() const {
        Soup out = *this;
        for (auto &t : out.triangles) std::swap(t[1], t[2]);
        return out;
    }
    /// Each triangle with points of its own, as STL files have them.
    Soup apart() const {
        Soup out;
        for (const auto &t : triangles) {
            const uint32_t first = uint32_t(out.points.size());
            for (uint32_t corner : t) out.points.push_back(points[corner]);
            out.triangles.push_back({first, first + 1, first + 2});
        }
        return out;
    }
};

/// A box of half lengths.
inline Soup box(double x, double y, double z) {
    Soup out;
    for (int k = 0; k < 8; k++) out.points.push_back({k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z});
    out.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return out;
}

inline Soup octahedron(double r) {
    return {{{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}},
            {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

/// About z, with n sections of m corners.
inline Soup torus(double major, double minor, uint32_t n, uint32_t m) {
    Soup out;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m; k++) {
            const double u = 2 * PI * i / n, v = 2 * PI * k / m, r = major + minor * std::cos(v);
            out.points.push_back({r * std::cos(u), r * std::sin(u), minor * std::sin(v)});
            const uint32_t a = i * m + k, b = (i + 1) % n * m + k, c = (i + 1) % n * m + (k + 1) % m;
            const uint32_t d = i * m + (k + 1) % m;
            out.triangles.push_back({a, b, c});
            out.triangles.push_back({a, c, d});
        }
    return out;
}

/// With n sections of n corners.
inline Soup torus(double major, double minor, uint32_t n) { return torus(major, minor, n, n); }

/// A surface made of a soup, each triangle with its number as place.
struct Built {
    MeshSource source{};
    Mesh *mesh = nullptr;
    ClackStatus status = CLACK_OK;
    std::vector<uint32_t> places, groups;
    Soup soup;
    explicit Built(const Soup &from) : soup(from) {
        places.resize(soup.triangles.size());
        groups.resize(soup.triangles.size());
        for (size_t t = 0; t < places.size(); t++) places[t] = uint32_t(t) + 1;
        source.points = reinterpret_cast<double(*)[3]>(soup.points.data());
        source.corners = reinterpret_cast<uint32_t(*)[3]>(soup.triangles.data());
        source.places = places.data();
        source.groups = groups.data();
        source.point_count = uint32_t(soup.points.size());
        source.triangle_count = uint32_t(soup.triangles.size());
        source.has_lines = 1;
        status = mesh_make(&source, nullptr, 0, &mesh, nullptr);
        EXPECT_EQ(status == CLACK_OK, mesh != nullptr);
    }
    Built(const Built &) = delete;
    ~Built() { mesh_free(mesh); }
    const Mesh *operator->() const { return mesh; }
    uint32_t count(MeshFinding finding) const { return mesh->found[finding].count; }
    /// "place: sentence" of a finding.
    std::string told(MeshFinding finding) const {
        char text[512];
        mesh_describe(mesh, finding, text, sizeof text);
        return std::to_string(source.places[mesh->found[finding].triangle]) + ": " + text;
    }
};

/// A text read as a file of that name, and the lines told: "line:column: text" or "text".
struct Text {
    MeshSource source{};
    ClackStatus status = CLACK_OK;
    std::vector<std::string> lines;
    Text(const std::string &name, const std::string &text) {
        MeshListener listener = {};
        listener.context = this;
        listener.tell = [](void *context, int is_warning, uint32_t line, uint32_t column, const char *told) {
            const std::string place = line > 0 ? std::to_string(line) + ":" + std::to_string(column) + ": " : "";
            static_cast<Text *>(context)->lines.push_back(place + (is_warning ? "warning: " : "") + told);
        };
        const std::vector<char> bytes(text.begin(), text.end()); // with nothing after it
        status = mesh_file_read(name.c_str(), bytes.data(), bytes.size(), &listener, &source);
    }
    Text(const Text &) = delete;
    ~Text() { mesh_source_free(&source); }
};

} // namespace meshes

#endif
