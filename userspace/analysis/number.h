/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logarithms, powers and roots of finite numbers, exact to 12 digits. They are our own because
 * libm costs every start of ktrack 70,000 instructions to load.
 */
#ifndef ANALYSIS_NUMBER_H
#define ANALYSIS_NUMBER_H

/** number_log - the natural logarithm of a number above 0 */
double number_log(double number);

/** number_exp - e to the power of @number; at most e to the power of 700 */
double number_exp(double number);

/** number_root - the square root of a number that is not negative */
double number_root(double number);

static inline double number_size(double number)
{
	return number < 0 ? -number : number;
}

#endif
