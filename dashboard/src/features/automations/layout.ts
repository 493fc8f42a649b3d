import { type Connection, type Graph, outletsOf } from './graph.ts'

// Where cards stand: in rows, each below all that lead to it, those of one row ordered and moved so that lines are short and
// straight. Lines that pass a row take a slot in it, and run through none of its cards.

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

interface Slot {
  readonly id: string
  readonly row: number
  readonly width: number
  readonly above: Slot[]
  readonly below: Slot[]
  /** Of its middle. */
  x: number
}

export function layOut(graph: Graph): Layout {
  const rowOf = rowsOf(graph)
  const slots = new Map<string, Slot>()
  const rows: Slot[][] = []
  const put = (id: string, row: number, width: number) => {
    const slot: Slot = { id, row, width, above: [], below: [], x: 0 }
    slots.set(id, slot)
    rows[row] ??= []
    rows[row].push(slot)
    return slot
  }
  const keys = [...rowOf.keys()].sort((one, other) => rowOf.get(one)! - rowOf.get(other)!)
  for (const key of keys) put(key, rowOf.get(key)!, CARD.width)
  const lanes = new Map<string, Slot[]>()
  for (const connection of inOrderOfOutlets(graph)) {
    const [from, to] = [slots.get(connection.from), slots.get(connection.to)]
    if (!from || !to || to.row <= from.row) continue
    let last = from
    const passed: Slot[] = []
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
      keys.map((key) => [key, { x: slots.get(key)!.x - origin - CARD.width / 2, y: yOf(rowOf.get(key)!) }]),
    ),
    lines: new Map([...lanes].map(([id, lane]) => [id, lane.map(({ x, row }) => ({ x: x - origin, y: yOf(row) }))])),
    order: rows.flatMap((row) => row.filter(({ id }) => rowOf.has(id)).map(({ id }) => id)),
  }
}

function join(above: Slot, below: Slot) {
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

/** Moves the slots of a row to the middle of their neighbours, as far as there is room. */
function align(row: Slot[], neighboursOf: (slot: Slot) => readonly Slot[], mayReorder: boolean) {
  const wanted = new Map(row.map((slot) => [slot, middleOf(slot, neighboursOf(slot))]))
  if (mayReorder) row.sort((one, other) => wanted.get(one)! - wanted.get(other)!)
  for (const slot of row) slot.x = wanted.get(slot)!
  settle(row)
}

function middleOf(slot: Slot, neighbours: readonly Slot[]) {
  if (neighbours.length === 0) return slot.x
  // Among those below the same one, the first comes to the left: half a card to each side of the middle.
  const shift = (neighbour: Slot) => {
    const others = neighbour.row < slot.row ? neighbour.below : []
    // Both ways out of a step may lead to the same one.
    const at = (others.indexOf(slot) + others.lastIndexOf(slot)) / 2
    return others.length < 2 ? 0 : (at - (others.length - 1) / 2) * (CARD.width / 2)
  }
  return neighbours.reduce((sum, neighbour) => sum + neighbour.x + shift(neighbour), 0) / neighbours.length
}

/** Makes room between neighbours of a row that stand too close, and keeps the middle of the row where it was. */
function settle(row: readonly Slot[]) {
  const before = average(row)
  for (let index = 1; index < row.length; index++) {
    const [left, slot] = [row[index - 1]!, row[index]!]
    slot.x = Math.max(slot.x, left.x + (left.width + slot.width) / 2 + GAP.x)
  }
  const shift = before - average(row)
  for (const slot of row) slot.x += shift
}

const average = (row: readonly Slot[]) => row.reduce((sum, { x }) => sum + x, 0) / Math.max(1, row.length)
