import { calm } from '../processes.ts'
import { note, progress } from '../progress.ts'
import { median } from '../report.ts'
import { type Contender, startContender } from './contender.ts'
import { PROBES, type Probe, type Stage } from './probes.ts'
import { buildRevision, buildThis, type Checkout } from './revision.ts'
import { type Estimate, estimate, uncertainty } from './statistics.ts'
import { type Usage, usageOf } from './usage.ts'

const MIN_PAIRS = 6
/** What has to be known of each figure before a comparison ends by itself. */
const WANTED_UNCERTAINTY = 0.03

/** What one of them took in a round; for each email, copy, event … */
type Sample = Usage & { readonly seconds: number }

const FIGURES: readonly { readonly name: keyof Sample; readonly title: string; write(value: number): string }[] = [
  { name: 'seconds', title: 'time', write: (value) => `${(value * 1_000).toFixed(3)} ms` },
  { name: 'service', title: 'CPU of the service', write: (value) => `${value.toFixed(3)} ms` },
  { name: 'postgres', title: 'CPU of PostgreSQL', write: (value) => `${value.toFixed(3)} ms` },
  { name: 'walBytes', title: 'WAL', write: (value) => `${(value / 1_000).toFixed(2)} kB` },
  { name: 'transactionIds', title: 'transaction ids', write: (value) => value.toFixed(3) },
  { name: 'buffers', title: 'buffers', write: (value) => value.toFixed(1) },
]

interface Result {
  readonly what: string
  readonly unit: string
  readonly rounds: number
  readonly figures: readonly {
    readonly title: string
    readonly other: number
    readonly ours: number
    readonly estimate: Estimate
    readonly verdict: string
  }[]
}

/**
 * This build against that of another revision. Machines differ by a factor of two within an hour, so both run at the same time and take
 * turns in short rounds, until the difference is known.
 */
export async function compare({
  names: [revision, ...names],
  minutes,
  isForMachines,
}: {
  names: readonly string[]
  minutes: number
  isForMachines: boolean
}) {
  const unknown = names.filter((name) => !(name in PROBES))
  if (!revision || unknown.length > 0)
    throw new Error(`npm run bench -- compare REV [NAME…], of ${Object.keys(PROBES).join(', ')}`)
  const other = buildRevision(revision)
  const builds = [other, buildThis()]
  const results: Result[] = []
  for (const name of names.length > 0 ? names : Object.keys(PROBES)) {
    const result = await compareOne(PROBES[name]!, builds, minutes)
    results.push(result)
    if (!isForMachines) print(result, other.name)
  }
  if (isForMachines) console.log(JSON.stringify(results, null, 2))
}

async function compareOne(probe: Probe, builds: readonly Checkout[], minutes: number): Promise<Result> {
  const stage = await probe.prepare()
  const contenders: Contender[] = []
  for (const build of builds) {
    progress(`${probe.summary}: starting ${build.name}`)
    const contender = await startContender(build, await stage.settings())
    await stage.begin(contender)
    contenders.push(contender)
  }
  const samples = await takeTurns(stage, contenders, { what: probe.summary, minutes })
  for (const contender of contenders) await contender.stop()
  await stage.end()
  return {
    what: probe.summary,
    unit: probe.unit,
    rounds: samples.length,
    figures: FIGURES.map(({ name, title }) => {
      const known = estimate(ratiosOf(samples, name))
      const [other, ours] = [0, 1].map((side) => median(samples.map((pair) => pair[side]![name])))
      return { title, other: other!, ours: ours!, estimate: known, verdict: verdictOn(known) }
    }),
  }
}

type Pair = readonly [other: Sample, ours: Sample]

/** One and the other, then the other and the one, so that neither is always first. */
async function takeTurns(
  stage: Stage,
  [other, ours]: readonly Contender[],
  { what, minutes }: { what: string; minutes: number },
): Promise<Pair[]> {
  const pairs: Pair[] = []
  const deadline = performance.now() + minutes * 60_000
  const isKnown = () =>
    FIGURES.every(
      ({ name }) => uncertainty(estimate(ratiosOf(pairs, name))) <= WANTED_UNCERTAINTY || name === 'buffers',
    )
  while (pairs.length < MIN_PAIRS || (performance.now() < deadline && !isKnown())) {
    progress(`${what}: pair ${pairs.length + 1}`)
    await calm()
    if (pairs.length % 2 === 0) {
      const first = await sampleOf(stage, other!)
      pairs.push([first, await sampleOf(stage, ours!)])
    } else {
      const first = await sampleOf(stage, ours!)
      pairs.push([await sampleOf(stage, other!), first])
    }
  }
  return pairs
}

async function sampleOf(stage: Stage, contender: Contender): Promise<Sample> {
  const before = await usageOf(contender)
  const begin = performance.now()
  const count = await stage.round(contender)
  const seconds = (performance.now() - begin) / 1_000
  const after = await usageOf(contender)
  const each = (name: keyof Usage) => (after[name] - before[name]) / count
  return {
    seconds: seconds / count,
    service: each('service'),
    postgres: each('postgres'),
    walBytes: each('walBytes'),
    transactionIds: each('transactionIds'),
    buffers: each('buffers'),
  }
}

const ratiosOf = (pairs: readonly Pair[], name: keyof Sample) => pairs.map(([other, ours]) => ours[name] / other[name])

function verdictOn(known: Estimate): string {
  if (known.high < 1) return 'better'
  if (known.low > 1) return 'worse'
  return uncertainty(known) <= WANTED_UNCERTAINTY ? 'level' : 'not known'
}

function print({ what, unit, rounds, figures }: Result, other: string) {
  note('')
  console.log(`\n${what} (${rounds} pairs of rounds; for each ${unit})\n`)
  console.log(`| | ${other} | this build | ratio | 95 % | |`)
  console.log('|---|---|---|---|---|---|')
  for (const [index, { title, other, ours, estimate, verdict }] of figures.entries()) {
    const { write } = FIGURES[index]!
    const { ratio, low, high } = estimate
    console.log(
      `| ${title} | ${write(other)} | ${write(ours)} | ${ratio.toFixed(3)} | ${low.toFixed(3)} to ${high.toFixed(3)} | ${verdict} |`,
    )
  }
}
