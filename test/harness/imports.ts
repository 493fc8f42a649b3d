import { sql } from '../../src/kernel/db/sql.ts'
import type { App, Client, Reply } from './app.ts'
import { formOf } from './form.ts'

export const upload = async (client: Client, parts: Record<string, string | Buffer>): Promise<Reply> =>
  client.send({ method: 'POST', url: '/contacts/imports', ...(await formOf(parts)) })

/** Uploads a file, lets the job run, and gives the import as it is then. */
export async function importFile(
  app: App,
  client: Client,
  file: string | Buffer,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; status: string; counts: Record<string, number> }> {
  const texts = Object.entries(fields).map(([name, value]) => [name, asText(value)])
  const { status, body, text } = await upload(client, { ...Object.fromEntries(texts), file })
  if (status !== 201) throw new Error(`The upload was answered with ${text}`)
  await runNow(app)
  return (await client.get(`/contacts/imports/${body.id}`)).body
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Also what was put off for a moment. */
export async function runNow(app: App) {
  app.clock.advance(60)
  await app.runDueJobs()
}

export const counts = (given: Partial<Record<'total' | 'created' | 'updated' | 'skipped' | 'failed', number>>) => ({
  total: 0,
  created: 0,
  updated: 0,
  skipped: 0,
  failed: 0,
  ...given,
})

/** What imports of the team have left behind besides contacts. */
export async function leftovers(app: App, { team }: Client): Promise<{ imports: number; pieces: number }> {
  const [row] = await app.db.query<{ imports: number; pieces: number }>(sql`
    select (select count(*)::int from contact_imports where team_id = ${team}) as imports,
           (select count(*)::int from contact_import_pieces where team_id = ${team}) as pieces`)
  return row!
}
