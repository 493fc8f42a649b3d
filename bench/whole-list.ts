import { contactRows } from '../src/features/contacts/queries.ts'
import { sql } from '../src/kernel/db/sql.ts'
import { readCopy } from './copy.ts'
import type { JoinedDatabase } from './database.ts'
import { readOnce } from './load.ts'
import { calm, watchingMemory } from './processes.ts'
import { note, progress } from './progress.ts'
import { mebibytes, type Row, rate, seconds } from './report.ts'
import type { Service } from './service.ts'

const ROUNDS = 5

/** A time as clients know it, as it was written when these figures began: a faster function of ours must not make COPY faster as well. */
const AS_TEXT = `replace(rtrim(to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '0') || '+00', '.+', '.0+')`

/** All contacts in one answer, against PostgreSQL sending the same columns and rows in the same order to nobody. */
export async function wholeList(
  service: Service,
  { connection }: JoinedDatabase,
  { team, contacts }: { team: string; contacts: number },
): Promise<Row[]> {
  const select = selectFor(team)
  const ours: number[] = []
  const baseline: number[] = []
  const growth: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`all contacts: round ${round} of ${ROUNDS}`)
    await calm()
    const whole = await watchingMemory(service.pid, () => readOnce(`${service.url}/contacts`))
    await calm()
    const copy = await readCopy(connection, select)
    ours.push(contacts / (whole.result.milliseconds / 1_000))
    baseline.push(contacts / (copy.milliseconds / 1_000))
    growth.push(whole.growthMiB)
    note(
      `  round ${round}: ${whole.result.bytes.toLocaleString('en')} bytes in ${seconds(whole.result.milliseconds)} over HTTP ` +
        `(+${mebibytes(whole.growthMiB)}), ${copy.bytes.toLocaleString('en')} in ${seconds(copy.milliseconds)} by copy`,
    )
  }
  const best = { ours: Math.max(...ours), baseline: Math.max(...baseline) }
  return [
    {
      what: `all ${contacts.toLocaleString('en')} contacts without limit`,
      ours: rate(best.ours, 'rows/s'),
      baseline: rate(best.baseline, 'rows/s'),
      figure: best.ours / best.baseline,
      unit: '×',
      wanted: 'at least',
      must: 0.25,
      dream: 0.5,
    },
    {
      what: '– memory growth of the service meanwhile',
      ours: mebibytes(Math.max(...growth)),
      baseline: null,
      figure: Math.max(...growth),
      unit: 'MiB',
      wanted: 'at most',
      must: 64,
      dream: null,
    },
  ]
}

function selectFor(team: string): string {
  const { columns, from, where, id } = contactRows(team)
  const { text } = sql`select ${columns} from ${from} where ${where} order by ${id} desc`.toQuery()
  return text.replace('$1', `'${team}'`).replace('wire_time(c.created_at)', AS_TEXT) // copy takes no parameters
}
