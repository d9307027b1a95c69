// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Quantiles of durations, which are counted by size. */
#include "base/quantile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define CELL_BITS 6
_Static_assert(QUANTILE_CELLS == 1 << CELL_BITS, "a cell for each value of its bits");

unsigned int quantile_octave_of(uint64_t duration)
{
	return duration < QUANTILE_CELLS ? 0 : 64 - __builtin_clzll(duration) - CELL_BITS;
}

uint64_t quantile_octave_begin(unsigned int number)
{
	return number == 0 ? 0 : UINT64_C(1) << (number + CELL_BITS - 1);
}

static unsigned int width_bits(unsigned int octave)
{
	return octave == 0 ? 0 : octave - 1;
}

static size_t octave_place(const struct quantiles *quantiles, unsigned int number)
{
	size_t place = 0;

	while (place < quantiles->nr_octaves && quantiles->octaves[place].number < number)
		place++;
	return place;
}

static struct quantile_octave *octave_get(struct quantiles *quantiles, unsigned int number)
{
	size_t place = octave_place(quantiles, number);
	struct quantile_octave *octave;

	if (place < quantiles->nr_octaves && quantiles->octaves[place].number == number)
		return &quantiles->octaves[place];
	if (!array_reserve(quantiles->octaves, quantiles->nr_octaves))
		return NULL;
	octave = &quantiles->octaves[place];
	memmove(octave + 1, octave, (quantiles->nr_octaves++ - place) * sizeof(*octave));
	*octave = (struct quantile_octave){ .number = number };
	return octave;
}

int quantiles_add(struct quantiles *quantiles, uint64_t duration)
{
	unsigned int number = quantile_octave_of(duration);
	struct quantile_octave *octave = octave_get(quantiles, number);

	if (!octave)
		return -1;
	octave->counts[(duration >> width_bits(number)) % QUANTILE_CELLS]++;
	quantiles->count++;
	return 0;
}

static uint64_t cell_middle(unsigned int octave, size_t cell)
{
	uint64_t width = UINT64_C(1) << width_bits(octave);

	return quantile_octave_begin(octave) + cell * width + width / 2;
}

uint64_t quantiles_get(const struct quantiles *quantiles, unsigned int permille)
{
	/* In parts, because the count times 1000 may overflow. */
	uint64_t rank = quantiles->count / 1000 * permille +
			(quantiles->count % 1000 * permille + 999) / 1000;
	uint64_t seen = 0;

	for (size_t i = 0; i < quantiles->nr_octaves; i++) {
		for (size_t cell = 0; cell < QUANTILE_CELLS; cell++) {
			seen += quantiles->octaves[i].counts[cell];
			if (seen >= rank && seen > 0)
				return cell_middle(quantiles->octaves[i].number, cell);
		}
	}
	return 0;
}

uint64_t quantiles_octave(const struct quantiles *quantiles, unsigned int number)
{
	size_t place = octave_place(quantiles, number);
	uint64_t count = 0;

	if (place == quantiles->nr_octaves || quantiles->octaves[place].number != number)
		return 0;
	for (size_t cell = 0; cell < QUANTILE_CELLS; cell++)
		count += quantiles->octaves[place].counts[cell];
	return count;
}

int quantiles_copy(struct quantiles *copy, const struct quantiles *quantiles)
{
	size_t size = quantiles->nr_octaves * sizeof(*quantiles->octaves);
	struct quantile_octave *octaves = malloc(size + !size);

	if (!octaves)
		return -1;
	if (size > 0)
		memcpy(octaves, quantiles->octaves, size);
	quantiles_release(copy);
	*copy = *quantiles;
	copy->octaves = octaves;
	return 0;
}

void quantiles_release(struct quantiles *quantiles)
{
	free(quantiles->octaves);
	*quantiles = (struct quantiles){ 0 };
}
