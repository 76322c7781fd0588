// The matrix of an island: 6 x 6 blocks, one for each two bodies that a coupling joins or that elimination fills in.
// Bodies are eliminated in an order of least degree, which keeps blocks few. Rows are exchanged only within the
// diagonal blocks, which are inverted: each matrix has six right-hand sides. Blocks are stored by columns.
#ifndef CLACK_INTEGRATE_BLOCK_MATRIX_H
#define CLACK_INTEGRATE_BLOCK_MATRIX_H

#include "model/workspace.h"

#define BLOCK_NUMBERS (ISLAND_BODY_ROWS * ISLAND_BODY_ROWS)

// Its place in the scene's room. Integers are stored as reals.
typedef struct BlockMatrix {
    u32 count;                 // of bodies
    GLOBAL real *sizes;        // (2): number of blocks of ties, number of blocks
    GLOBAL real *side;         // (6 count): right-hand side, then the solution
    GLOBAL real *displacement; // (6 count): what `poses` are multiplied by
    GLOBAL real *turn;         // (9 count): of rodas.h
    GLOBAL real *degree;       // (count): number of blocks in a row, during the ordering
    GLOBAL real *order;        // (count): the body that is eliminated k-th
    GLOBAL real *place;        // (count): the step at which a body is eliminated
    GLOBAL real *table;        // (count, count): number of a block, from 1, those of ties first; 0: there is none
    GLOBAL real *tied_end, *after_end; // (count): ends of each body's part of the next two
    GLOBAL real *tied;                 // (ties): bodies joined to a body, itself included, rising
    GLOBAL real *after;  // ((blocks - count) / 2): bodies eliminated after a body that have blocks with it, rising
    GLOBAL real *poses;  // (ties, 6, 6): a second matrix, of ties alone
    GLOBAL real *blocks; // (blocks, 6, 6)
} BlockMatrix;

/// Right-hand side of the `member`-th body, and the vector that its `poses` are multiplied by.
FN_SHORT GLOBAL real *block_side(GLOBAL real *room, u32 member) { return room + 2u + ISLAND_BODY_ROWS * member; }

FN_SHORT GLOBAL real *block_displacement(GLOBAL real *room, u32 count, u32 member) {
    return block_side(room, count + member);
}

/// The part before the lists, whose sizes are not known before block_fill.
FN BlockMatrix block_matrix_head(GLOBAL real *room, u32 count) {
    BlockMatrix m;
    m.count = count;
    m.sizes = room;
    m.side = block_side(room, 0);
    m.displacement = block_displacement(room, count, 0);
    m.turn = m.displacement + ISLAND_BODY_ROWS * count;
    m.degree = m.turn + 9u * count;
    m.order = m.degree + count;
    m.place = m.order + count;
    m.tied_end = m.place + count;
    m.after_end = m.tied_end + count;
    m.table = m.after_end + count;
    m.tied = m.after = m.poses = m.blocks = m.table + count * count;
    return m;
}

FN BlockMatrix block_matrix(GLOBAL real *room, u32 count) {
    BlockMatrix m = block_matrix_head(room, count);
    u32 ties = (u32)m.sizes[0], blocks = (u32)m.sizes[1];
    m.after = m.tied + ties;
    m.poses = m.after + (blocks - count) / 2u;
    m.blocks = m.poses + BLOCK_NUMBERS * ties;
    return m;
}

/// The matrix of one body alone, which needs no tables.
FN BlockMatrix block_matrix_alone(GLOBAL real *room) {
    BlockMatrix m = block_matrix_head(room, 1);
    m.poses = m.after = m.tied + 1u;
    m.blocks = m.poses + BLOCK_NUMBERS;
    return m;
}

/// Numbers that it takes, once its sizes are known.
FN u32 block_matrix_room(BlockMatrix m) { return (u32)(m.blocks - m.sizes) + BLOCK_NUMBERS * (u32)m.sizes[1]; }

FN u32 block_exists(BlockMatrix m, u32 i, u32 j) { return m.table[i * m.count + j] != 0.0 ? 1u : 0u; }

FN GLOBAL real *block_at(BlockMatrix m, u32 i, u32 j) {
    return m.blocks + BLOCK_NUMBERS * ((u32)m.table[i * m.count + j] - 1u);
}

FN GLOBAL real *block_pose_at(BlockMatrix m, u32 i, u32 j) {
    return m.poses + BLOCK_NUMBERS * ((u32)m.table[i * m.count + j] - 1u);
}

// Loops over the bodies joined to k, and over those that follow it.
#define BLOCK_LOOP(j, list, ends, k)                                                                                   \
    for (u32 at_##j = (k) > 0 ? (u32)(ends)[(k)-1u] : 0u, end_##j = (u32)(ends)[k], j = 0;                             \
         at_##j < end_##j && ((j = (u32)(list)[at_##j]), 1); at_##j++)
#define BLOCK_TIED_LOOP(j, m, k) BLOCK_LOOP(j, (m).tied, (m).tied_end, k)
#define BLOCK_AFTER_LOOP(j, m, k) BLOCK_LOOP(j, (m).after, (m).after_end, k)

/// Mark the diagonal blocks only.
FN void block_clear(BlockMatrix m) {
    for (u32 i = 0; i < m.count * m.count; i++) m.table[i] = 0.0;
    for (u32 i = 0; i < m.count; i++) m.table[i * m.count + i] = 1.0;
}

FN void block_mark(BlockMatrix m, u32 i, u32 j) { m.table[i * m.count + j] = m.table[j * m.count + i] = 1.0; }

/// Is body i eliminated after body k, and does it have a block with it by then?
FN u32 block_follows(BlockMatrix m, u32 k, u32 i) { return block_exists(m, k, i) && m.place[i] > m.place[k] ? 1u : 0u; }

/// Eliminate body k, the `step`-th, and number the blocks that this fills in. Returns the number of blocks.
FN_ONCE u32 block_eliminate(BlockMatrix m, u32 k, u32 step, u32 blocks) {
    m.order[step] = (real)k;
    m.place[k] = (real)step;
    for (u32 i = 0; i < m.count; i++) {
        if (!block_follows(m, k, i)) continue;
        m.degree[i] -= 1.0;
        for (u32 j = 0; j < i; j++) {
            if (!block_follows(m, k, j) || block_exists(m, i, j)) continue;
            m.table[i * m.count + j] = (real)++blocks;
            m.table[j * m.count + i] = (real)++blocks;
            m.degree[i] += 1.0;
            m.degree[j] += 1.0;
        }
    }
    return blocks;
}

/// After all ties are marked: number all blocks and find the order of elimination. Of equal degrees the lowest body
/// goes first. Then its sizes are known; call block_list next.
FN_ONCE void block_fill(BlockMatrix m) {
    u32 n = m.count, blocks = 0;
    for (u32 i = 0; i < n; i++) {
        m.place[i] = (real)n; // not yet
        m.degree[i] = 0.0;
        for (u32 j = 0; j < n; j++) {
            if (!block_exists(m, i, j)) continue;
            m.degree[i] += 1.0;
            m.table[i * n + j] = (real)++blocks;
        }
    }
    m.sizes[0] = (real)blocks;
    for (u32 step = 0; step < n; step++) {
        u32 k = NONE;
        for (u32 i = 0; i < n; i++) {
            if (m.place[i] == (real)n && (k == NONE || m.degree[i] < m.degree[k])) k = i;
        }
        blocks = block_eliminate(m, k, step, blocks);
    }
    m.sizes[1] = (real)blocks;
}

/// The lists of the bodies joined to each body and of those that follow it.
FN_ONCE void block_list(BlockMatrix m) {
    u32 tied = 0, after = 0;
    for (u32 k = 0; k < m.count; k++) {
        for (u32 j = 0; j < m.count; j++) {
            real number = m.table[k * m.count + j];
            if (number != 0.0 && number <= m.sizes[0]) m.tied[tied++] = (real)j;
            if (block_follows(m, k, j)) m.after[after++] = (real)j;
        }
        m.tied_end[k] = (real)tied;
        m.after_end[k] = (real)after;
    }
}

/// Inverse of one block in place, by Gauss-Jordan elimination with partial pivoting (of its transpose, as it is
/// stored). A singular block gives values that are not finite, which the error control rejects.
VECTOR_FN void block_invert(GLOBAL real *m) {
    u32 n = ISLAND_BODY_ROWS, from[ISLAND_BODY_ROWS];
    for (u32 k = 0; k < n; k++) {
        GLOBAL real *row = m + n * k, *best = row;
        from[k] = k;
        for (u32 i = k + 1; i < n; i++) {
            row += n;
            if (!(real_abs(row[k]) > real_abs(best[k]))) continue;
            best = row;
            from[k] = i;
        }
        real pivot[ISLAND_BODY_ROWS], sum[ISLAND_BODY_ROWS];
        for (u32 j = 0; j < n; j++) pivot[j] = best[j];
        row = m + n * k;
        for (u32 j = 0; j < n; j++) sum[j] = row[j];
        for (u32 j = 0; j < n; j++) best[j] = sum[j];
        // Columns are selected by number: vectors of six that a store of one of them precedes would wait for it.
        real inverse = 1.0 / pivot[k];
        for (u32 j = 0; j < n; j++) pivot[j] = (j == k ? 1.0 : pivot[j]) * inverse;
        for (u32 j = 0; j < n; j++) row[j] = pivot[j];
        row = m;
        for (u32 i = 0; i < n; i++, row += n) {
            real factor = row[k];
            if (i == k || factor == 0.0) continue;
            for (u32 j = 0; j < n; j++) sum[j] = j == k ? 0.0 : row[j];
            for (u32 j = 0; j < n; j++) sum[j] = real_fma(-factor, pivot[j], sum[j]);
            for (u32 j = 0; j < n; j++) row[j] = sum[j];
        }
    }
    for (u32 k = n; k-- > 0;) { // exchanged rows are exchanged columns of the inverse
        for (u32 i = 0; i < n && from[k] != k; i++) {
            real swapped = m[i * n + k];
            m[i * n + k] = m[i * n + from[k]];
            m[i * n + from[k]] = swapped;
        }
    }
}

// Six numbers += a x with `numbers` numbers of x, or -=.
#define BLOCK_SUM(sum, a, x, numbers, sign)                                                                            \
    for (u32 k_sum = 0; k_sum < (numbers); k_sum++, (a) += ISLAND_BODY_ROWS) {                                         \
        real by = sign(x)[k_sum];                                                                                      \
        for (u32 i_sum = 0; i_sum < ISLAND_BODY_ROWS; i_sum++) (sum)[i_sum] = real_fma((a)[i_sum], by, (sum)[i_sum]);  \
    }

/// x = m x, for `columns` columns of x.
VECTOR_FN void block_multiply(GLOBAL const real *m, GLOBAL real *x, u32 columns) {
    for (u32 c = 0; c < columns; c++, x += ISLAND_BODY_ROWS) {
        GLOBAL const real *from = m + ISLAND_BODY_ROWS;
        real sum[ISLAND_BODY_ROWS], first = x[0];
        for (u32 i = 0; i < ISLAND_BODY_ROWS; i++) sum[i] = m[i] * first;
        BLOCK_SUM(sum, from, x + 1, ISLAND_BODY_ROWS - 1u, +)
        for (u32 i = 0; i < ISLAND_BODY_ROWS; i++) x[i] = sum[i];
    }
}

/// y -= a x, for `columns` columns of y and x.
VECTOR_FN void block_subtract(GLOBAL real *y, GLOBAL const real *a, GLOBAL const real *x, u32 columns) {
    for (u32 c = 0; c < columns; c++, x += ISLAND_BODY_ROWS, y += ISLAND_BODY_ROWS) {
        GLOBAL const real *from = a;
        real sum[ISLAND_BODY_ROWS];
        for (u32 i = 0; i < ISLAND_BODY_ROWS; i++) sum[i] = y[i];
        BLOCK_SUM(sum, from, x, ISLAND_BODY_ROWS, -)
        for (u32 i = 0; i < ISLAND_BODY_ROWS; i++) y[i] = sum[i];
    }
}

/// y += a x; the product does not depend on y.
VECTOR_FN void block_add(GLOBAL real *y, GLOBAL const real *a, GLOBAL const real *x) {
    GLOBAL const real *from = a + ISLAND_BODY_ROWS;
    real sum[ISLAND_BODY_ROWS], first = x[0];
    for (u32 i = 0; i < ISLAND_BODY_ROWS; i++) sum[i] = a[i] * first;
    BLOCK_SUM(sum, from, x + 1, ISLAND_BODY_ROWS - 1u, +)
    for (u32 i = 0; i < ISLAND_BODY_ROWS; i++) y[i] += sum[i];
}

/// Set to s times the unit matrix, with `poses` 0.
VECTOR_FN void block_matrix_clear(BlockMatrix m, real s) {
    GLOBAL real *poses = m.poses, *blocks = m.blocks;
    size_t ties = BLOCK_NUMBERS * (u32)m.sizes[0], all = BLOCK_NUMBERS * (u32)m.sizes[1];
    for (size_t i = 0; i < ties; i++) poses[i] = 0.0;
    for (size_t i = 0; i < all; i++) blocks[i] = 0.0;
    for (u32 k = 0; k < m.count; k++) {
        GLOBAL real *diagonal = block_at(m, k, k);
        for (u32 i = 0; i < BLOCK_NUMBERS; i += ISLAND_BODY_ROWS + 1u) diagonal[i] = s;
    }
}

/// Subtract `poses` from the matrix. Both have the blocks of ties first.
VECTOR_FN void block_matrix_take_poses(BlockMatrix m) {
    GLOBAL real *poses = m.poses, *blocks = m.blocks;
    size_t ties = BLOCK_NUMBERS * (u32)m.sizes[0];
    for (size_t i = 0; i < ties; i++) blocks[i] -= poses[i];
}

/// side += `poses` displacement.
FN_ONCE void block_matrix_join(BlockMatrix m) {
    GLOBAL real *side = m.side;
    for (u32 k = 0; k < m.count; k++, side += ISLAND_BODY_ROWS)
        BLOCK_TIED_LOOP(j, m, k) block_add(side, block_pose_at(m, k, j), m.displacement + ISLAND_BODY_ROWS * j);
}

/// side = matrix^-1 (side + `poses` displacement), for a factorised matrix of one body.
FN_ONCE void block_matrix_answer_alone(GLOBAL real *room) {
    BlockMatrix m = block_matrix_alone(room);
    block_add(m.side, m.poses, m.displacement);
    block_multiply(m.blocks, m.side, 1);
}

/// Factorise in place. At its step the diagonal block D of a body is replaced by its inverse, its row by D^-1 times the
/// row; its column stays.
FN_ONCE void block_matrix_factorise(BlockMatrix m) {
    for (u32 step = 0; step < m.count; step++) {
        u32 k = (u32)m.order[step];
        GLOBAL real *diagonal = block_at(m, k, k);
        block_invert(diagonal);
        BLOCK_AFTER_LOOP(j, m, k) {
            GLOBAL real *row = block_at(m, k, j);
            block_multiply(diagonal, row, ISLAND_BODY_ROWS);
            BLOCK_AFTER_LOOP(i, m, k) block_subtract(block_at(m, i, j), block_at(m, i, k), row, ISLAND_BODY_ROWS);
        }
    }
}

/// Solve for the right-hand side in place.
FN_ONCE void block_matrix_solve(BlockMatrix m) {
    for (u32 step = 0; step < m.count; step++) {
        u32 k = (u32)m.order[step];
        GLOBAL real *x = m.side + ISLAND_BODY_ROWS * k;
        block_multiply(block_at(m, k, k), x, 1);
        BLOCK_AFTER_LOOP(i, m, k) block_subtract(m.side + ISLAND_BODY_ROWS * i, block_at(m, i, k), x, 1);
    }
    for (u32 step = m.count; step-- > 0;) {
        u32 k = (u32)m.order[step];
        BLOCK_AFTER_LOOP(j, m, k)
        block_subtract(m.side + ISLAND_BODY_ROWS * k, block_at(m, k, j), m.side + ISLAND_BODY_ROWS * j, 1);
    }
}

#endif
