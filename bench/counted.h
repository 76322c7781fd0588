// A number of double precision that counts what is done with it; of the same size, so that buffers are shared with
// kernels and hosts that do not count.
#ifndef CLACK_BENCH_COUNTED_H
#define CLACK_BENCH_COUNTED_H

#include <cmath>
#include <cstdint>
#include <type_traits>

enum Operation { COUNT_ADD, COUNT_MULTIPLY, COUNT_FMA, COUNT_DIVIDE, COUNT_ROOT, COUNT_OPERATIONS };
extern uint64_t counted_operations[COUNT_OPERATIONS];

struct Counted {
    double value;
    Counted() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
    constexpr Counted(T from) : value(double(from)) {}
    explicit operator double() const { return value; }
    explicit operator float() const { return float(value); }
    explicit operator uint32_t() const { return uint32_t(value); }
    explicit operator int32_t() const { return int32_t(value); }
};
static_assert(sizeof(Counted) == sizeof(double) && std::is_trivially_copyable<Counted>::value, "shares buffers");

inline Counted counted(Operation operation, double value) {
    counted_operations[operation]++;
    return Counted(value);
}
inline Counted operator+(Counted a, Counted b) { return counted(COUNT_ADD, a.value + b.value); }
inline Counted operator-(Counted a, Counted b) { return counted(COUNT_ADD, a.value - b.value); }
inline Counted operator*(Counted a, Counted b) { return counted(COUNT_MULTIPLY, a.value * b.value); }
inline Counted operator/(Counted a, Counted b) { return counted(COUNT_DIVIDE, a.value / b.value); }
inline Counted operator-(Counted a) { return Counted(-a.value); }
inline Counted operator+(Counted a) { return a; }
inline Counted &operator+=(Counted &a, Counted b) { return a = a + b; }
inline Counted &operator-=(Counted &a, Counted b) { return a = a - b; }
inline Counted &operator*=(Counted &a, Counted b) { return a = a * b; }
inline Counted &operator/=(Counted &a, Counted b) { return a = a / b; }
inline bool operator<(Counted a, Counted b) { return a.value < b.value; }
inline bool operator>(Counted a, Counted b) { return a.value > b.value; }
inline bool operator<=(Counted a, Counted b) { return a.value <= b.value; }
inline bool operator>=(Counted a, Counted b) { return a.value >= b.value; }
inline bool operator==(Counted a, Counted b) { return a.value == b.value; }
inline bool operator!=(Counted a, Counted b) { return a.value != b.value; }
inline Counted sqrt(Counted a) { return counted(COUNT_ROOT, std::sqrt(a.value)); }
inline Counted fabs(Counted a) { return Counted(std::fabs(a.value)); }
inline Counted floor(Counted a) { return Counted(std::floor(a.value)); }
inline Counted fma(Counted a, Counted b, Counted c) { return counted(COUNT_FMA, std::fma(a.value, b.value, c.value)); }

#endif
