import { type Usage, usageOf } from '../compare/usage.ts'
import { postMany } from '../load.ts'
import { progress } from '../progress.ts'
import { median, type Row } from '../report.ts'
import { personalEmail } from './mail.ts'
import { allSettled, EVERYTHING, type Stage, send } from './stage.ts'

const CONNECTIONS = 64
const ACCEPTED = 1_500
const DELIVERED = 1_000
const ROUNDS = 6
const MAX_RATIO = 1.15

type Round = (stage: Stage) => Promise<number>

/** Accepting alone, in processes that do nothing else: what is accepted is sent before delivery is measured. */
export const accepting = (empty: Stage, deep: Stage): Promise<Row[]> =>
  takeTurns('POST /emails accepted durably', [empty, deep], async ({ service }) => {
    await postMany(`${service.url}/emails`, personalEmail(7), { connections: CONNECTIONS, amount: ACCEPTED })
    return ACCEPTED
  })

/** From the request until nothing is left to be done: delivered, counted, told to the webhook. */
export async function delivering(empty: Stage, deep: Stage): Promise<Row[]> {
  for (const stage of [empty, deep]) {
    await stage.restart(EVERYTHING)
    progress(`${stage.name}: sending what was accepted`)
    await allSettled(stage)
  }
  let from = 1_000_000_000
  return takeTurns('accepted → sink, counted, webhook heard', [empty, deep], async (stage) => {
    from += DELIVERED
    await send(stage, DELIVERED, { from })
    return DELIVERED
  })
}

async function takeTurns(what: string, stages: readonly [Stage, Stage], round: Round): Promise<Row[]> {
  const samples: [Sample[], Sample[]] = [[], []]
  for (let turn = 0; turn <= ROUNDS; turn++)
    for (const side of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      progress(`${what}: round ${turn} of ${ROUNDS}, ${stages[side].name}`)
      const sample = await sampleOf(stages[side], round)
      if (turn > 0) samples[side].push(sample) // the first one compiles
    }
  const [shallow, deep] = samples
  return FIGURES.map(({ name, title, write }, index) => {
    const [ours, base] = [median(deep.map((one) => one[name])), median(shallow.map((one) => one[name]))]
    return {
      what: index === 0 ? `${what}: ${title}` : `– ${title}`,
      ours: write(ours),
      baseline: write(base),
      figure: ours / base,
      ...{
        unit: '×',
        wanted: 'at most',
        must: name === 'seconds' ? null : MAX_RATIO,
        dream: name === 'seconds' ? null : 1,
      },
    }
  })
}

type Sample = Usage & { readonly seconds: number }

const FIGURES: readonly { readonly name: keyof Sample; readonly title: string; write(value: number): string }[] = [
  { name: 'postgres', title: 'CPU of PostgreSQL for each', write: (value) => `${value.toFixed(3)} ms` },
  { name: 'service', title: 'CPU of the service for each', write: (value) => `${value.toFixed(3)} ms` },
  { name: 'walBytes', title: 'WAL for each', write: (value) => `${(value / 1_000).toFixed(2)} kB` },
  { name: 'transactionIds', title: 'transaction ids for each', write: (value) => value.toFixed(3) },
  {
    name: 'seconds',
    title: 'time (others use the machine, too)',
    write: (value) => `${(value * 1_000).toFixed(2)} ms`,
  },
]

async function sampleOf(stage: Stage, round: Round): Promise<Sample> {
  const side = { ...stage, service: stage.service, peers: [] }
  const before = await usageOf(side)
  const begin = performance.now()
  const count = await round(stage)
  const seconds = (performance.now() - begin) / 1_000
  const after = await usageOf(side)
  const each = (name: keyof Usage) => (after[name] - before[name]) / count
  return {
    seconds: seconds / count,
    ...{ service: each('service'), postgres: each('postgres'), walBytes: each('walBytes') },
    ...{ transactionIds: each('transactionIds'), buffers: each('buffers') },
  }
}
