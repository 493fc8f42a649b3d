import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Piece, piecesOf, SPAN_MS, type Span } from './spans.ts'

const at = (text: string) => Date.parse(`2026-${text}Z`)
const written = ({ span, from, to }: Piece) =>
  `${span} ${new Date(from).toISOString().slice(5, 16)} ${new Date(to).toISOString().slice(5, 16)}`

test('a range is days with hours and quarters at both ends', () => {
  const pieces = piecesOf({ from: at('03-01T10:30'), to: at('03-20T02:15'), longest: 'day' })

  expect(pieces.map(written)).toEqual([
    'quarter 03-01T10:30 03-01T11:00',
    'hour 03-01T11:00 03-02T00:00',
    'day 03-02T00:00 03-20T00:00',
    'hour 03-20T00:00 03-20T02:00',
    'quarter 03-20T02:00 03-20T02:15',
  ])
})

test('no day is on both sides of a cut, and hours beside each other are one piece', () => {
  const pieces = piecesOf({
    ...{ from: at('03-01T00:00'), to: at('03-05T00:00'), longest: 'day' },
    cuts: [at('03-02T23:00'), at('03-03T23:00')],
  })

  expect(pieces.map(written)).toEqual([
    'day 03-01T00:00 03-02T00:00',
    'hour 03-02T00:00 03-04T00:00',
    'day 03-04T00:00 03-05T00:00',
  ])
})

const QUARTERS = 96 * 20
const quarter = fc.nat(QUARTERS).map((n) => at('03-01T00:00') + n * SPAN_MS.quarter)

test('every quarter of a range is in one piece, whatever the cuts, and pieces are of whole spans', () => {
  const property = fc.property(
    fc.tuple(quarter, quarter),
    fc.array(quarter, { maxLength: 5 }),
    fc.constantFrom<Span>('quarter', 'hour', 'day'),
    (ends, cuts, longest) => {
      const [from, to] = ends.sort((a, b) => a - b) as [number, number]
      const pieces = piecesOf({ from, to, longest, cuts })
      for (const { span, from: begin, to: end } of pieces) {
        expect([begin % SPAN_MS[span], end % SPAN_MS[span], begin < end]).toEqual([0, 0, true])
        for (const cut of cuts) if (cut > begin && cut < end) expect(cut % SPAN_MS[span]).toBe(0)
      }
      expect(pieces.map((piece) => piece.to)).toEqual([
        ...pieces.slice(1).map((piece) => piece.from),
        ...(from < to ? [to] : []),
      ])
      if (from < to) expect(pieces[0]!.from).toBe(from)
    },
  )
  fc.assert(property, { numRuns: 500 })
})
