/* One test of a battery of TestU01 on the words of standard input: 32 bits each, little-endian.
 *
 *     testu01_battery small-crush|crush|big-crush NUMBER
 *
 * prints the p-values of that test, one a line with its name. TestU01's licence forbids sale for profit: this is a tool
 * for tests, compiled where the library is installed, and no part of beadwork links it. With Debian's libtestu01-0-dev:
 *
 *     gcc -O2 -o testu01_battery testu01_battery.c -ltestu01 -ltestu01probdist -ltestu01mylib -lm
 *
 * elsewhere -lprobdist and -lmylib.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<testu01/bbattery.h>)
#include <testu01/bbattery.h>
#include <testu01/swrite.h>
#include <testu01/unif01.h>
#else
#include <bbattery.h>
#include <swrite.h>
#include <unif01.h>
#endif

enum { WORDS = 1 << 14 };

static unsigned char bytes[4 * WORDS];
static size_t place = sizeof bytes;

static unsigned int next_word(void)
{
    if (place == sizeof bytes) {
        if (fread(bytes, sizeof bytes, 1, stdin) != 1) {
            fprintf(stderr, "the words on standard input ended before the test\n");
            exit(1);
        }
        place = 0;
    }
    const unsigned char *word = bytes + place;
    place += 4;
    return word[0] | word[1] << 8 | word[2] << 16 | (unsigned int)word[3] << 24;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        int tests;
        void (*repeat)(unif01_Gen *, int[]);
    } batteries[] = {
        { "small-crush", 10, bbattery_RepeatSmallCrush },
        { "crush", 96, bbattery_RepeatCrush },
        { "big-crush", 106, bbattery_RepeatBigCrush },
    };
    for (int battery = 0; count == 3 && battery < 3; battery++) {
        int number = atoi(arguments[2]);
        if (strcmp(arguments[1], batteries[battery].name) != 0 || number < 1
            || number > batteries[battery].tests) {
            continue;
        }
        int repetitions[1 + 200] = { 0 };
        repetitions[number] = 1;
        swrite_Basic = FALSE;
        unif01_Gen *generator = unif01_CreateExternGenBits("standard input", next_word);
        /* The library's own report is dropped: results follow it, after a line of their own. */
        batteries[battery].repeat(generator, repetitions);
        puts("== p-values");
        for (int n = 0; n < bbattery_NTests; n++) {
            printf("%.17g %s\n", bbattery_pVal[n], bbattery_TestNames[n]);
        }
        return 0;
    }
    fprintf(stderr, "usage: testu01_battery small-crush|crush|big-crush NUMBER < WORDS\n");
    return 2;
}
