import { sql } from '../../src/kernel/db/sql.ts'
import { joinDatabase, temporaryDataDir } from '../database.ts'
import { readOnce } from '../load.ts'
import { calm } from '../processes.ts'
import { note, progress } from '../progress.ts'
import { median, printReport, type Row, seconds } from '../report.ts'
import { AUTHORIZATION, type Service, startService } from '../service.ts'
import { type Filling, fillInboxes } from './mail.ts'
import { type Kind, questions } from './questions.ts'

const ROUNDS = 3
/** How many times as many messages the large inbox has. */
const LARGER = 100

/** Searches and pages of a large inbox, against the same in a small one beside it. */
export async function inboxes({ contacts: messages, isForMachines }: { contacts: number; isForMachines: boolean }) {
  const dataDir = temporaryDataDir()
  const service = await startService(dataDir, 'postwren serve', {
    POSTWREN_ROLES: 'api',
    POSTWREN_DELIVERY: 'inbox',
  })
  const database = await joinDatabase(dataDir)
  const [team] = await database.db.query<{ id: string }>(sql`select id from teams limit 1`)
  const { large, small } = await addInboxes(service, messages)
  const begin = performance.now()
  await fillInboxes(database.connection, team!.id, [large, small], new Date())
  note(`${messages.toLocaleString('en')} messages in ${seconds(performance.now() - begin)}`)

  const rows: Row[] = []
  for (const kind of await questions(database.db, { large: large.id, small: small.id }))
    rows.push(await compare(service, kind, large, small))
  await service.stop()
  await database.leave()
  printReport(rows, isForMachines)
}

async function addInboxes(service: Service, messages: number): Promise<{ large: Filling; small: Filling }> {
  await post(service, '/domains', { name: 'bench.dev' })
  const add = async (name: string, size: { messages: number; people: number }): Promise<Filling> => {
    const address = `${name}@bench.dev`
    return { ...(await post(service, '/inboxes', { email_address: address })), address, ...size }
  }
  const few = Math.ceil(messages / LARGER)
  return {
    large: await add('large', { messages, people: Math.ceil(messages / 50) }),
    small: await add('small', { messages: few, people: Math.ceil(few / 15) }),
  }
}

async function post({ url }: Service, path: string, body: object): Promise<{ id: string }> {
  const headers = { ...AUTHORIZATION, 'content-type': 'application/json' }
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`POST ${path}: ${await reply.text()}`)
  return (await reply.json()) as { id: string }
}

/** The same questions of both inboxes in turn, so that whatever disturbs one disturbs the other as well. The first round warms up. */
export async function compare({ url }: Service, kind: Kind, large: Filling, small: Filling): Promise<Row> {
  const rounds: { large: number[]; small: number[] }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    progress(`${kind.what}: round ${round} of ${ROUNDS}`)
    await calm()
    const taken = { large: [] as number[], small: [] as number[] }
    const { large: asked, small: askedOfSmall } = kind.queries
    for (const [index, query] of asked.entries()) {
      const ask = async ({ id }: Filling, of: string) =>
        (await readOnce(`${url}/inboxes/${id}/${kind.path}?${of}`)).milliseconds
      taken.small.push(await ask(small, askedOfSmall[index]!))
      taken.large.push(await ask(large, query))
    }
    if (round > 0) rounds.push(taken)
  }
  const best = (which: 'large' | 'small') => Math.min(...rounds.map((taken) => median(taken[which])))
  return {
    what: `${kind.what}, ${large.messages.toLocaleString('en')} messages, p50`,
    ours: `${best('large').toFixed(2)} ms`,
    baseline: `${best('small').toFixed(2)} ms`,
    figure: best('large') / best('small'),
    unit: '×',
    wanted: 'at most',
    must: kind.must,
    dream: kind.must === null ? null : 1.1,
  }
}
