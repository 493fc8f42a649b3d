import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { progress } from './progress.ts'
import { AUTHORIZATION } from './service.ts'

const FIRST_NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Margaret', 'Ken']
const LAST_NAMES = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Hamilton', 'Thompson']
const ROWS_A_CHUNK = 1_000
const BOUNDARY = 'postwren-bench'
const POLL_MS = 500

interface Import {
  readonly id: string
  readonly status: 'queued' | 'in_progress' | 'completed' | 'failed'
  readonly counts: { readonly total: number; readonly created: number }
}

/** Loads contacts through the door that users have for it, and waits until all of them are there. */
export async function importContacts(url: string, contacts: number) {
  const begin = performance.now()
  const { id } = await upload(`${url}/contacts/imports`, contacts)
  const uploadedMs = performance.now() - begin
  for (;;) {
    const state = await fetchJson<Import>(`${url}/contacts/imports/${id}`)
    progress(`importing contacts: ${state.counts.total.toLocaleString('en')} of ${contacts.toLocaleString('en')}`)
    if (state.status === 'completed' && state.counts.created === contacts)
      return { uploadedMs, tookMs: performance.now() - begin }
    if (state.status === 'completed' || state.status === 'failed')
      throw new Error(`The import ${state.status}: ${JSON.stringify(state.counts)}`)
    await delay(POLL_MS)
  }
}

async function upload(url: string, contacts: number): Promise<{ id: string }> {
  const sending = request(url, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  })
  const answered = new Promise<Response>((resolve, reject) => {
    sending.once('error', reject)
    sending.once('response', (reply) =>
      resolve(new Response(Readable.toWeb(reply) as ReadableStream, { status: reply.statusCode! })),
    )
  })
  const [reply] = await Promise.all([answered, pipeline(Readable.from(form(contacts)), sending)])
  if (!reply.ok) throw new Error(`The import was refused: ${await reply.text()}`)
  return (await reply.json()) as { id: string }
}

function* form(contacts: number): Generator<string> {
  yield `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="contacts.csv"\r\nContent-Type: text/csv\r\n\r\n`
  yield 'email,first_name,last_name,unsubscribed\n'
  for (let start = 0; start < contacts; start += ROWS_A_CHUNK) {
    let chunk = ''
    for (let number = start; number < Math.min(start + ROWS_A_CHUNK, contacts); number++) chunk += row(number)
    yield chunk
    if (start % 50_000 === 0) progress(`uploading contacts: ${start.toLocaleString('en')}`)
  }
  yield `\r\n--${BOUNDARY}--\r\n`
}

function row(number: number): string {
  const first = FIRST_NAMES[number % 8]!
  const last = LAST_NAMES[Math.floor(number / 8) % 8]!
  return `${first}.${last}.${number}@example.com,${first},${last},${number % 16 === 0}\n`
}

async function fetchJson<Body>(url: string): Promise<Body> {
  const reply = await fetch(url, { headers: AUTHORIZATION })
  if (!reply.ok) throw new Error(`${reply.status} from ${url}: ${await reply.text()}`)
  return (await reply.json()) as Body
}
