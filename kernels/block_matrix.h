// The matrix of an island: blocks of 6 x 6, one for each two bodies that a contact ties or elimination fills in.
// Bodies are eliminated in an order of least degree, that keeps blocks few. Rows are exchanged within the blocks of
// the diagonal only, which are inverted: six right-hand sides come for each matrix.
#ifndef CLACK_BLOCK_MATRIX_H
#define CLACK_BLOCK_MATRIX_H

#include "workspace.h"

#define BLOCK_NUMBERS (ISLAND_BODY_ROWS * ISLAND_BODY_ROWS)

// Where it lies in the scene's room. Whole numbers are kept as real ones.
typedef struct BlockMatrix {
    u32 count;           // of bodies
    GLOBAL real *side;   // (6 count): right-hand side, then the solution
    GLOBAL real *degree; // (count): blocks in a row, while the order is found
    GLOBAL real *order;  // (count): the body that is eliminated k-th, and
    GLOBAL real *place;  // (count) when a body is
    GLOBAL real *table;  // (count, count): number of a block, from 1; 0: there is none
    GLOBAL real *blocks; // (numbers, 6, 6)
} BlockMatrix;

FN BlockMatrix block_matrix(GLOBAL real *room, u32 count) {
    BlockMatrix m;
    m.count = count;
    m.side = room;
    m.degree = m.side + ISLAND_BODY_ROWS * count;
    m.order = m.degree + count;
    m.place = m.order + count;
    m.table = m.place + count;
    m.blocks = m.table + count * count;
    return m;
}

FN u32 block_exists(BlockMatrix m, u32 i, u32 j) { return m.table[i * m.count + j] != 0.0 ? 1u : 0u; }

FN GLOBAL real *block_at(BlockMatrix m, u32 i, u32 j) {
    return m.blocks + BLOCK_NUMBERS * ((u32)m.table[i * m.count + j] - 1u);
}

/// Mark the blocks of a body with itself only.
FN void block_clear(BlockMatrix m) {
    for (u32 i = 0; i < m.count * m.count; i++) m.table[i] = 0.0;
    for (u32 i = 0; i < m.count; i++) m.table[i * m.count + i] = 1.0;
}

FN void block_mark(BlockMatrix m, u32 i, u32 j) {
    m.table[i * m.count + j] = m.table[j * m.count + i] = 1.0;
}

/// Is body i eliminated after body k, and tied to it then?
FN u32 block_follows(BlockMatrix m, u32 k, u32 i) {
    return block_exists(m, k, i) && m.place[i] > m.place[k] ? 1u : 0u;
}

/// Once all ties are marked: the order of elimination, the blocks it fills in, the numbers of all. Of equal degrees
/// the least body goes first. Returns how many blocks there are.
FN u32 block_fill(BlockMatrix m) {
    u32 n = m.count;
    GLOBAL real *degree = m.degree;
    for (u32 i = 0; i < n; i++) {
        m.place[i] = (real)n; // not yet
        degree[i] = 0.0;
        for (u32 j = 0; j < n; j++) degree[i] += m.table[i * n + j];
    }
    for (u32 step = 0; step < n; step++) {
        u32 k = NONE;
        for (u32 i = 0; i < n; i++) {
            if (m.place[i] == (real)n && (k == NONE || degree[i] < degree[k])) k = i;
        }
        m.order[step] = (real)k;
        m.place[k] = (real)step;
        for (u32 i = 0; i < n; i++) {
            if (!block_follows(m, k, i)) continue;
            degree[i] -= 1.0;
            for (u32 j = 0; j < i; j++) {
                if (!block_follows(m, k, j) || block_exists(m, i, j)) continue;
                block_mark(m, i, j);
                degree[i] += 1.0;
                degree[j] += 1.0;
            }
        }
    }
    u32 blocks = 0;
    for (u32 i = 0; i < n * n; i++) {
        if (m.table[i] == 0.0) continue;
        blocks++;
        m.table[i] = (real)blocks;
    }
    return blocks;
}

/// The inverse of one block in place, by Gauss and Jordan with partial pivoting. A singular one gives numbers that are
/// not finite, which the error control refuses.
VECTOR_FN void block_invert(GLOBAL real *m) {
    u32 n = ISLAND_BODY_ROWS, from[ISLAND_BODY_ROWS];
    for (u32 k = 0; k < n; k++) {
        u32 best = k;
        for (u32 i = k + 1; i < n; i++) {
            if (real_abs(m[i * n + k]) > real_abs(m[best * n + k])) best = i;
        }
        from[k] = best;
        for (u32 j = 0; j < n && best != k; j++) {
            real swapped = m[k * n + j];
            m[k * n + j] = m[best * n + j];
            m[best * n + j] = swapped;
        }
        real inverse = 1.0 / m[k * n + k];
        m[k * n + k] = 1.0;
        for (u32 j = 0; j < n; j++) m[k * n + j] *= inverse;
        for (u32 i = 0; i < n; i++) {
            real factor = m[i * n + k];
            if (i == k || factor == 0.0) continue;
            m[i * n + k] = 0.0;
            for (u32 j = 0; j < n; j++) m[i * n + j] = real_fma(-factor, m[k * n + j], m[i * n + j]);
        }
    }
    for (u32 k = n; k-- > 0;) { // rows exchanged are columns exchanged of the inverse
        for (u32 i = 0; i < n && from[k] != k; i++) {
            real swapped = m[i * n + k];
            m[i * n + k] = m[i * n + from[k]];
            m[i * n + from[k]] = swapped;
        }
    }
}

/// x = m x, of `columns` columns of x, whose rows are so long.
VECTOR_FN void block_multiply(GLOBAL const real *m, GLOBAL real *x, u32 columns) {
    real y[BLOCK_NUMBERS];
    for (u32 i = 0; i < ISLAND_BODY_ROWS; i++) {
        for (u32 c = 0; c < columns; c++) {
            real sum = m[i * ISLAND_BODY_ROWS] * x[c];
            for (u32 k = 1; k < ISLAND_BODY_ROWS; k++)
                sum = real_fma(m[i * ISLAND_BODY_ROWS + k], x[k * columns + c], sum);
            y[i * columns + c] = sum;
        }
    }
    for (u32 i = 0; i < ISLAND_BODY_ROWS * columns; i++) x[i] = y[i];
}

/// y -= a x, of `columns` columns of y and x, whose rows are so long.
VECTOR_FN void block_subtract(GLOBAL real *y, GLOBAL const real *a, GLOBAL const real *x, u32 columns) {
    for (u32 r = 0; r < ISLAND_BODY_ROWS; r++) {
        for (u32 k = 0; k < ISLAND_BODY_ROWS; k++) {
            real factor = -a[r * ISLAND_BODY_ROWS + k];
            if (factor == 0.0) continue;
            for (u32 c = 0; c < columns; c++)
                y[r * columns + c] = real_fma(factor, x[k * columns + c], y[r * columns + c]);
        }
    }
}

/// Factorise in place. The block D of a body on the diagonal becomes its inverse when its turn comes, its row D^-1
/// times what it was; its column stays.
FN void block_matrix_factorise(BlockMatrix m) {
    for (u32 step = 0; step < m.count; step++) {
        u32 k = (u32)m.order[step];
        GLOBAL real *diagonal = block_at(m, k, k);
        block_invert(diagonal);
        for (u32 j = 0; j < m.count; j++) {
            if (!block_follows(m, k, j)) continue;
            GLOBAL real *row = block_at(m, k, j);
            block_multiply(diagonal, row, ISLAND_BODY_ROWS);
            for (u32 i = 0; i < m.count; i++) {
                if (block_follows(m, k, i))
                    block_subtract(block_at(m, i, j), block_at(m, i, k), row, ISLAND_BODY_ROWS);
            }
        }
    }
}

/// Solve for the right-hand side in place.
FN void block_matrix_solve(BlockMatrix m) {
    for (u32 step = 0; step < m.count; step++) {
        u32 k = (u32)m.order[step];
        GLOBAL real *x = m.side + ISLAND_BODY_ROWS * k;
        block_multiply(block_at(m, k, k), x, 1);
        for (u32 i = 0; i < m.count; i++) {
            if (block_follows(m, k, i)) block_subtract(m.side + ISLAND_BODY_ROWS * i, block_at(m, i, k), x, 1);
        }
    }
    for (u32 step = m.count; step-- > 0;) {
        u32 k = (u32)m.order[step];
        for (u32 j = 0; j < m.count; j++) {
            if (block_follows(m, k, j))
                block_subtract(m.side + ISLAND_BODY_ROWS * k, block_at(m, k, j), m.side + ISLAND_BODY_ROWS * j, 1);
        }
    }
}

#endif
