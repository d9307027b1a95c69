// SPDX-License-Identifier: GPL-2.0-only
/* Logarithms, powers and roots. */
#include "analysis/number.h"

#define LN_2 0.69314718055994530942
#define EXPONENT_MAX 700

/* Terms of series that are exact to more digits than a double has. */
#define LOG_TERMS 29
#define EXP_TERMS 20
#define ROOT_STEPS 6

/* The number is m * 2^n; log(m) = 2 * atanh((m - 1) / (m + 1)), with m near 1. */
double number_log(double number)
{
	double part, square, power, sum = 0;
	int exponent = 0;

	while (number > 1.5) {
		number /= 2;
		exponent++;
	}
	while (number < 0.75) {
		number *= 2;
		exponent--;
	}
	part = (number - 1) / (number + 1);
	square = part * part;
	power = part;
	for (int i = 1; i <= LOG_TERMS; i += 2) {
		sum += power / i;
		power *= square;
	}
	return 2 * sum + exponent * LN_2;
}

double number_exp(double number)
{
	double limited = number > EXPONENT_MAX	  ? EXPONENT_MAX
			 : number < -EXPONENT_MAX ? -EXPONENT_MAX
						  : number;
	int exponent = (int)(limited / LN_2);
	double rest = limited - exponent * LN_2, term = 1, sum = 1;

	for (int i = 1; i <= EXP_TERMS; i++) {
		term *= rest / i;
		sum += term;
	}
	for (; exponent > 0; exponent--)
		sum *= 2;
	for (; exponent < 0; exponent++)
		sum /= 2;
	return sum;
}

/* Newton's method, from the power of two that is near. */
double number_root(double number)
{
	double root = 1, rest = number;

	if (number <= 0)
		return 0;
	for (; rest > 4; rest /= 4)
		root *= 2;
	for (; rest < 1; rest *= 4)
		root /= 2;
	for (int i = 0; i < ROOT_STEPS; i++)
		root = (root + number / root) / 2;
	return root;
}
