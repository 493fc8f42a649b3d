import { setTimeout as delay } from 'node:timers/promises'
import { note, progress } from '../progress.ts'
import { rate, seconds } from '../report.ts'
import { AUTHORIZATION } from '../service.ts'

const BATCH = 100
const CALLERS = 4
const POLL_MS = 500
const WORDS = 'invoice receipt welcome password reset order shipped refund report weekly digest alert'.split(' ')

/** Sends so many through the API and waits until none is on its way. Returns one from the middle. */
export async function sendEmails(url: string, count: number): Promise<string> {
  const begin = performance.now()
  let sent = 0
  let middle = ''
  const work = async () => {
    while (sent < count) {
      const first = sent
      sent += BATCH
      const ids = await sendBatch(url, first)
      if (first <= count / 2) middle = ids[0]!
      progress(`sending: ${Math.min(sent, count).toLocaleString('en')} of ${count.toLocaleString('en')} emails`)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, work))
  while (!(await isQuiet(url))) await delay(POLL_MS)
  const took = performance.now() - begin
  note(`sent ${count.toLocaleString('en')} emails in ${seconds(took)}, ${rate(count / (took / 1_000), 'emails/s')}`)
  return middle
}

async function sendBatch(url: string, first: number): Promise<string[]> {
  const body = Array.from({ length: BATCH }, (_, offset) => emailOf(first + offset))
  const reply = await fetch(`${url}/emails/batch`, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!reply.ok) throw new Error(`The batch was refused: ${await reply.text()}`)
  const { data } = (await reply.json()) as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

const emailOf = (number: number) => ({
  from: 'Acme <news@acme.example>',
  to: `customer-${number}@example.com`,
  subject: `${WORDS[number % WORDS.length]} ${WORDS[(number >> 4) % WORDS.length]} ${number}`,
  html: `<h1>Hello ${number}</h1><p>${'What a customer reads in an email of a shop. '.repeat(20)}</p>`,
})

async function isQuiet(url: string): Promise<boolean> {
  const reply = await fetch(`${url}/emails?status=queued&limit=1`, { headers: AUTHORIZATION })
  return ((await reply.json()) as { data: unknown[] }).data.length === 0
}
