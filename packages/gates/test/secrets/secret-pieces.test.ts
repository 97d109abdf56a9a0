import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inPieces, pieceMax } from '../../src/secrets/secret-pieces.ts'

function lookFor(word: string) {
  return (piece: string) =>
    [...piece.matchAll(new RegExp(word, 'g'))].map(({ index }) => ({
      begin: index,
      end: index + word.length,
    }))
}

test('nothing is torn or found twice', () => {
  const fills = fc.constantFrom('x', 'x y ', 'xxxxxxx\n', `${'x'.repeat(900)}\n`)
  const places = fc.array(fc.nat({ max: 3 * pieceMax }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(fills, places, (fill, at) => {
      const sorted = at.sort((a, b) => a - b)
      const long = fill.repeat(Math.ceil((4 * pieceMax) / fill.length))
      let text = ''
      const words = sorted.map((place) => {
        text += `${long.slice(0, Math.max(place - text.length, 0))}QQSECRETQQ`
        return { begin: text.length - 10, end: text.length }
      })
      text += long.slice(0, pieceMax)
      expect(inPieces(text, lookFor('QQSECRETQQ'))).toEqual(words)
    }),
  )
})

test('a long row is cut between its groups', () => {
  const row = Buffer.from('the knee has been hurting since March. '.repeat(800)).toString('base64')
  const decoded = (piece: string) => Buffer.from(piece, 'base64').toString()
  const seen: string[] = []
  const found = inPieces(row, (piece) => {
    seen.push(decoded(piece))
    return [{ begin: piece.length - 1, end: piece.length }]
  })
  expect(seen.length).toBeGreaterThan(3)
  expect(seen.every((text) => text.includes('since March. the knee'))).toBe(true)
  expect(found[0]?.end).toBeGreaterThan(pieceMax)
})
