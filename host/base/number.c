// Numbers as files write them.
#include "number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES_MAX 400          // beyond the digits that any double needs
#define EXACT_WHOLE 9007199254740992u // 2^53
#define EXACT_TENS 22                 // powers of ten that are doubles
#define EXPONENT_MOST 99999

static int is_digit(char c) { return c >= '0' && c <= '9'; }

// A whole number of at most 53 bits times or over a power of ten that is a double itself: one rounding, the right one
// (W. D. Clinger, How to Read Floating Point Numbers Accurately, 1990).
static double number_exact(uint64_t whole, int tens) {
    static const double powers[EXACT_TENS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return tens < 0 ? (double)whole / powers[-tens] : (double)whole * powers[tens];
}

typedef struct NumberText {
    const char *at, *end;
    uint64_t whole; // of the digits so far, while there are few
    int digits, tens, is_long;
} NumberText;

static void number_digits(NumberText *number, int is_fraction) {
    for (; number->at < number->end && is_digit(*number->at); number->at++, number->digits++) {
        number->is_long |= number->whole >= EXACT_WHOLE / 16;
        if (!number->is_long) number->whole = 10 * number->whole + (uint64_t)(*number->at - '0');
        number->tens -= is_fraction && !number->is_long;
    }
}

int number_parse_bytes(const char *text, size_t bytes, double *out_value) {
    NumberText number = {.at = text, .end = text + bytes};
    const int is_negative = bytes > 0 && *text == '-';
    number.at += bytes > 0 && (*text == '-' || *text == '+');
    number_digits(&number, 0);
    if (number.at < number.end && *number.at == '.') {
        number.at++;
        number_digits(&number, 1);
    }
    if (number.digits == 0) return 0;
    if (number.at < number.end && (*number.at == 'e' || *number.at == 'E')) {
        number.at++;
        const int is_down = number.at < number.end && *number.at == '-';
        number.at += number.at < number.end && (*number.at == '-' || *number.at == '+');
        if (number.at == number.end || !is_digit(*number.at)) return 0;
        int exponent = 0;
        for (; number.at < number.end && is_digit(*number.at); number.at++)
            if (exponent < EXPONENT_MOST) exponent = 10 * exponent + (*number.at - '0');
        number.tens += is_down ? -exponent : exponent;
    }
    if (number.at != number.end) return 0;
    if (!number.is_long && number.tens >= -EXACT_TENS && number.tens <= EXACT_TENS) {
        const double size = number_exact(number.whole, number.tens);
        *out_value = is_negative ? -size : size;
        return 1;
    }
    char copy[NUMBER_BYTES_MAX];
    char *own = bytes < sizeof copy ? copy : malloc(bytes + 1);
    if (own == NULL) return 0;
    memcpy(own, text, bytes);
    own[bytes] = '\0';
    *out_value = strtod(own, NULL);
    if (own != copy) free(own);
    return isfinite(*out_value) != 0;
}

int number_parse(const char *text, double *out_value) { return number_parse_bytes(text, strlen(text), out_value); }
