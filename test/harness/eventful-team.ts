import type { App, Client } from './app.ts'
import { arrive, RICH } from './arriving.ts'
import { SIMPLE } from './emails.ts'
import { guardedKey } from './guarded.ts'
import { addRareRows } from './rare-rows.ts'
import { ATTACHED, MAILING } from './requests.ts'
import type { World } from './world.ts'

/** Mail is sent, opened and bounced, events reach automations, webhooks and inboxes, and the rest waits. */
export async function happen(app: App, acme: Client, world: World) {
  await acme.post('/emails', {
    ...SIMPLE,
    to: ['delivered@resend.dev', 'bounced@resend.dev'],
    tags: [{ name: 'kind', value: 'a' }],
  })
  await acme.post('/emails', { ...SIMPLE, to: 'complained@resend.dev' })
  await acme.post('/emails/batch', [SIMPLE, SIMPLE], { 'idempotency-key': 'once' })
  await acme.post('/webhooks', { endpoint: 'http://127.0.0.1:1/', events: ['email.delivered', 'email.bounced'] })
  await acme.post('/emails', { ...SIMPLE, to: 'delivered@resend.dev' })
  await acme.post('/broadcasts', { ...MAILING, segment_id: world.segments, send: true })
  const guarded = await guardedKey(app, acme, { recipients: { domains: ['resend.dev'] }, max_emails_per_day: 5 })
  for (const to of ['delivered@resend.dev', 'ada@example.com']) await guarded.post('/emails', { ...SIMPLE, to })
  await arrive(app, Buffer.concat([RICH, Buffer.alloc(300_000, 'x')]), {
    to: [`desk@${world['domain that receives']}`],
  })
  await app.runDueJobs()
  await app.deliverDue()
  await app.runAutomations()
  await app.fileMail()
  await acme.get('/emails/metrics')
  await acme.post(`/inboxes/${world.inboxes}/drafts`, {
    to: 'ada@example.com',
    subject: 'Files',
    text: 'Hi',
    ...ATTACHED,
  })
  await addRareRows(app, acme, world, (await app.ownerOf(acme)).userId)
  // Pending when the export is made.
  await acme.post('/emails', { ...SIMPLE, to: 'delivered@resend.dev' })
  await app.flush()
  await app.services.teamStates.refresh()
}
