/** What a place in a text is counted in. */
export type OffsetUnit = 'utf16' | 'code-points' | 'utf8'

class Walk {
  readonly #text: string
  utf16 = 0
  points = 0
  utf8 = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Goes to the last character that begins at or before a place; false when the text is shorter. */
  reach(place: number, unit: OffsetUnit): boolean {
    const text = this.#text
    let { utf16, points, utf8 } = this
    for (; utf16 < text.length; points++) {
      const code = text.codePointAt(utf16)!
      const units = code > 0xffff ? 2 : 1
      const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : units + 2
      const next = unit === 'utf16' ? utf16 + units : unit === 'utf8' ? utf8 + bytes : points + 1
      if (next > place) break
      utf16 += units
      utf8 += bytes
    }
    Object.assign(this, { utf16, points, utf8 })
    return utf16 < text.length || place <= this.at(unit)
  }

  at(unit: OffsetUnit): number {
    return unit === 'utf16' ? this.utf16 : unit === 'utf8' ? this.utf8 : this.points
  }
}

/**
 * The same places counted in another unit, in the order given. A place inside a character becomes
 * that of its beginning; half a surrogate pair is one code point and three bytes. Takes one walk
 * through the text. Throws a RangeError for a place that is negative, not a number, or beyond the
 * end of the text.
 */
export function convertOffsets(
  text: string,
  offsets: readonly number[],
  from: OffsetUnit,
  to: OffsetUnit,
): number[] {
  const walk = new Walk(text)
  const result = Array.from(offsets, () => 0)
  for (const index of ascending(offsets)) {
    const place = offsets[index]!
    if (!(place >= 0) || !walk.reach(place, from)) {
      throw new RangeError(`${place} is no place in a text of ${walk.at(from)} in ${from}`)
    }
    result[index] = walk.at(to)
  }
  return result
}

function ascending(offsets: readonly number[]): number[] {
  const order = Array.from(offsets, (_, index) => index)
  const sorted = offsets.every((offset, index) => index === 0 || offset >= offsets[index - 1]!)
  return sorted ? order : order.sort((a, b) => offsets[a]! - offsets[b]!)
}
