import { type Connection, type Graph, outletsOf } from './graph.ts'

// Where cards stand: in rows, each below all that lead to it, those of one row ordered and moved so that lines are short and
// straight. Lines that pass a row take a place in it, and run through none of its cards.

export const CARD = { width: 236, height: 92 } as const
const GAP = { x: 36, y: 58 } as const
/** What a line that passes takes. */
const LANE_WIDTH = 24
const SWEEPS = 8

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Layout {
  /** The left upper corner of each card. */
  readonly cards: ReadonlyMap<string, Point>
  /** The heights of rows where a line passes, as points to go through; by `lineId`. */
  readonly lines: ReadonlyMap<string, readonly Point[]>
  /** Keys in the order in which they are read: row by row. */
  readonly order: readonly string[]
}

export const lineId = ({ from, type }: Pick<Connection, 'from' | 'type'>) => `${from} ${type}`

interface Place {
  readonly id: string
  readonly row: number
  readonly width: number
  readonly above: Place[]
  readonly below: Place[]
  /** Of its middle. */
  x: number
}

export function layOut(graph: Graph): Layout {
  const rowOf = rowsOf(graph)
  const places = new Map<string, Place>()
  const rows: Place[][] = []
  const put = (id: string, row: number, width: number) => {
    const place: Place = { id, row, width, above: [], below: [], x: 0 }
    places.set(id, place)
    rows[row] ??= []
    rows[row].push(place)
    return place
  }
  const keys = [...rowOf.keys()].sort((one, other) => rowOf.get(one)! - rowOf.get(other)!)
  for (const key of keys) put(key, rowOf.get(key)!, CARD.width)
  const lanes = new Map<string, Place[]>()
  for (const connection of inOrderOfOutlets(graph)) {
    const [from, to] = [places.get(connection.from), places.get(connection.to)]
    if (!from || !to || to.row <= from.row) continue
    let last = from
    const passed: Place[] = []
    for (let row = from.row + 1; row < to.row; row++) {
      const lane = put(`${lineId(connection)} ${row}`, row, LANE_WIDTH)
      join(last, lane)
      passed.push(lane)
      last = lane
    }
    join(last, to)
    lanes.set(lineId(connection), passed)
  }
  for (const row of rows) settle(row)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const row of rows.slice(1)) align(row, ({ above }) => above, sweep < SWEEPS / 2)
    for (const row of rows.slice(0, -1).reverse()) align(row, ({ below }) => below, false)
  }
  // What is at the top stays where it is when something changes below.
  const origin = rows[0]?.[0]?.x ?? 0
  const yOf = (row: number) => row * (CARD.height + GAP.y)
  return {
    cards: new Map(
      keys.map((key) => [key, { x: places.get(key)!.x - origin - CARD.width / 2, y: yOf(rowOf.get(key)!) }]),
    ),
    lines: new Map([...lanes].map(([id, lane]) => [id, lane.map(({ x, row }) => ({ x: x - origin, y: yOf(row) }))])),
    order: rows.flatMap((row) => row.filter(({ id }) => rowOf.has(id)).map(({ id }) => id)),
  }
}

function join(above: Place, below: Place) {
  above.below.push(below)
  below.above.push(above)
}

/** The first outlet of a step leads to the left of what the second leads to. */
const inOrderOfOutlets = (graph: Graph) =>
  graph.steps.flatMap((step) =>
    outletsOf(step).flatMap(({ type }) =>
      graph.connections.filter((one) => one.from === step.key && one.type === type),
    ),
  )

/** The longest way to each step. A circle, which is no automation yet, ends at the number of steps. */
function rowsOf({ steps, connections }: Graph): Map<string, number> {
  const rows = new Map(steps.map(({ key }) => [key, 0]))
  for (let round = 0; round < steps.length; round++) {
    let isChanged = false
    for (const { from, to } of connections) {
      const row = (rows.get(from) ?? 0) + 1
      if (!rows.has(to) || rows.get(to)! >= row || row >= steps.length) continue
      rows.set(to, row)
      isChanged = true
    }
    if (!isChanged) break
  }
  return rows
}

/** Moves the places of a row to the middle of their neighbours, as far as there is room. */
function align(row: Place[], neighboursOf: (place: Place) => readonly Place[], mayReorder: boolean) {
  const wanted = new Map(row.map((place) => [place, middleOf(place, neighboursOf(place))]))
  if (mayReorder) row.sort((one, other) => wanted.get(one)! - wanted.get(other)!)
  for (const place of row) place.x = wanted.get(place)!
  settle(row)
}

function middleOf(place: Place, neighbours: readonly Place[]) {
  if (neighbours.length === 0) return place.x
  // Among those below the same one, the first comes to the left: half a card to each side of the middle.
  const shift = (neighbour: Place) => {
    const others = neighbour.row < place.row ? neighbour.below : []
    // Both ways out of a step may lead to the same one.
    const at = (others.indexOf(place) + others.lastIndexOf(place)) / 2
    return others.length < 2 ? 0 : (at - (others.length - 1) / 2) * (CARD.width / 2)
  }
  return neighbours.reduce((sum, neighbour) => sum + neighbour.x + shift(neighbour), 0) / neighbours.length
}

/** Makes room between neighbours of a row that stand too close, and keeps the middle of the row where it was. */
function settle(row: readonly Place[]) {
  const before = average(row)
  for (let index = 1; index < row.length; index++) {
    const [left, place] = [row[index - 1]!, row[index]!]
    place.x = Math.max(place.x, left.x + (left.width + place.width) / 2 + GAP.x)
  }
  const shift = before - average(row)
  for (const place of row) place.x += shift
}

const average = (row: readonly Place[]) => row.reduce((sum, { x }) => sum + x, 0) / Math.max(1, row.length)
