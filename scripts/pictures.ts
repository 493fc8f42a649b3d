import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { chromium, type Page } from 'playwright-core'

// The pictures in docs/images, taken of a service of their own: `node scripts/run.mjs scripts/pictures.ts`. Needs Chromium.

const MAIL = `<div style="background:#f4f1ea;padding:32px 16px;font-family:system-ui,sans-serif"><div style="max-width:520px;margin:0 auto;
background:#fff;border-radius:12px;padding:28px 32px"><h1 style="font-size:22px;margin:0 0 12px">Thank you for your order</h1>
<p style="color:#555;line-height:1.6">It is packed and leaves us today. Here is what you bought.</p>
<table style="width:100%;border-collapse:collapse;margin:20px 0">${[
  ['Walnut desk tray', '48.00'],
  ['Linen notebook, two', '22.00'],
  ['<b>Total</b>', '<b>70.00</b>'],
]
  .map(
    ([what, price]) => `<tr><td style="padding:10px 0">${what}</td><td style="text-align:right">€ ${price}</td></tr>`,
  )
  .join(
    '',
  )}</table><a href="https://example.com/orders" style="display:inline-block;background:#27695a;color:#fff;padding:10px 18px;
border-radius:8px;text-decoration:none">Follow your parcel</a></div></div>`

const SUBJECTS = [
  'Reset your password',
  'Welcome aboard',
  'Your weekly report',
  'A new sign-in',
  'Your invoice',
  'Your export is ready',
]
const RECIPIENTS = ['ada', 'grace', 'alan', 'barbara', 'edsger', 'margaret'].map((name) => `${name}@example.com`)

async function main() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postwren-pictures-'))
  const service = spawn(process.execPath, ['bin/postwren.mjs', 'serve'], {
    env: { ...process.env, POSTWREN_PORT: '4926', POSTWREN_SMTP_PORT: '0', POSTWREN_DATA_DIR: join(dataDir, 'data') },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    let said = ''
    for await (const text of service.stdout) {
      said += text
      if (said.includes('Try it:')) break
    }
    const [, link] = /Dashboard +(\S+)/.exec(said)!
    const key = readFileSync(join(dataDir, 'data', 'api-key'), 'utf8').trim()
    await takePictures(link!, key, Number(/SMTP +\S+?:(\d+)/.exec(said)![1]))
  } finally {
    service.kill('SIGTERM')
    await once(service, 'exit')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function takePictures(link: string, key: string, smtpPort: number) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const inFrame = (text: string) => page.frameLocator('iframe[title]').getByText(text).first()
  const show = (path: string) => page.goto(new URL(`/dashboard/${path}`, link).href)
  await page.goto(link)
  await page.getByRole('button', { name: 'Send test email' }).waitFor()
  await take(page, 'first-run')
  const made = await fill(new URL(link).origin, key, smtpPort)
  await show('emails')
  await page.getByText('order 10482').waitFor()
  await take(page, 'emails')
  await show(`emails/${made.email}`)
  await inFrame('Thank you').waitFor()
  await take(page, 'email')
  await show('received')
  await page.getByRole('link', { name: /ada@example\.com/ }).click()
  await inFrame('I ordered').waitFor()
  await take(page, 'received')
  await page.setViewportSize({ width: 1440, height: 860 })
  await show(`inboxes/${made.inbox}`)
  await page.locator('.thread-row', { hasText: 'Where is my parcel?' }).locator('a').click()
  await inFrame('It left us on Monday').waitFor()
  await page.mouse.move(720, 500)
  await take(page, 'inboxes')
  await page.setViewportSize({ width: 1280, height: 800 })
  await show(`broadcasts/${made.broadcast}`)
  await inFrame('Good day').waitFor()
  await page.getByRole('link', { name: /Delivered 6/ }).waitFor()
  await take(page, 'broadcast')
  await show(`webhooks/${made.webhook}`)
  await page
    .getByRole('row', { name: /delivered/i })
    .first()
    .waitFor()
  await take(page, 'webhook')
  await show(`automations/${made.automation}`)
  await page.getByText('6 entered · 6 sent').click()
  await inFrame('Welcome').waitFor()
  await take(page, 'automations')
  await show(`sandboxes/${made.sandbox}?tab=clock`)
  await page.getByLabel('Duration', { exact: true }).fill('14')
  await page.getByRole('button', { name: 'Advance' }).click()
  await page.getByText(/\d events in/).waitFor()
  await take(page, 'sandbox-clock')
  await show('metrics')
  await page.locator('.chart').first().waitFor()
  await take(page, 'metrics')
  await page.getByRole('button', { name: 'Dark theme' }).click()
  await show(`templates/${made.template}`)
  await inFrame('Welcome').waitFor()
  await take(page, 'template-dark')
  await browser.close()
}

const take = (page: Page, name: string) => page.screenshot({ path: `docs/images/${name}.png` })

/** Without a body it reads. */
type Post = (path: string, body: object | null, method?: 'POST' | 'PATCH' | 'PUT') => Promise<{ id: string }>

/** A welcome series that some people are in the middle of. */
async function automate(post: Post, template: string, segment: string): Promise<string> {
  await post(`/templates/${template}/publish`, {})
  await post('/events', { name: 'user.created', schema: { plan: 'string', seats: 'number' } })
  const { id } = await post('/automations', {
    ...{ name: 'Welcome series', status: 'enabled' },
    steps: [
      { key: 'start', type: 'trigger', config: { event_name: 'user.created' } },
      {
        ...{ key: 'welcome', type: 'send_email' },
        config: { template: { id: template, variables: { PLAN: { var: 'event.plan' } } } },
      },
      { key: 'opened', type: 'wait_for_event', config: { event_name: 'resend:email.opened', timeout: '3 days' } },
      { key: 'pro', type: 'condition', config: { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' } },
      { key: 'again', type: 'send_email', config: { template: { id: template }, subject: 'Did you see it?' } },
      { key: 'customers', type: 'add_to_segment', config: { segment_id: segment } },
    ],
    connections: [
      { from: 'start', to: 'welcome' },
      { from: 'welcome', to: 'opened' },
      { from: 'opened', to: 'pro', type: 'event_received' },
      { from: 'opened', to: 'again', type: 'timeout' },
      { from: 'pro', to: 'customers', type: 'condition_met' },
      { from: 'again', to: 'customers' },
    ],
  })
  for (const [index, email] of RECIPIENTS.entries())
    await post('/events/send', {
      event: 'user.created',
      email,
      payload: { plan: index % 2 ? 'pro' : 'free', seats: 1 },
    })
  return id
}

/** What a small shop is asked, oldest first: who, about what, what they write, and with which label. */
const QUESTIONS = [
  ['Edsger Dijkstra', 'A question about walnut', 'Is the wood oiled, or is it varnished?', ''],
  ['Barbara Liskov', 'Invoice 2026-118', 'The address on the invoice is our old one.', 'Billing'],
  ['Alan Turing', 'Damaged corner', 'One corner of the tray is damaged, see the picture.', 'Urgent'],
  ['Margaret Hamilton', 'Thank you!', 'It arrived today, and it is beautiful.', ''],
  ['Grace Hopper', 'An offer for twenty trays', 'We would like twenty of them, with our logo.', 'Orders'],
  ['Ada Lovelace', 'Where is my parcel?', 'I ordered a desk tray last week. Could you look where it is?', 'Orders'],
] as const

/** An inbox with some threads, of which one is answered. */
async function receive(post: Post, smtpPort: number): Promise<string> {
  await post('/domains', { name: 'example.com' })
  const inbox = await post('/inboxes', { email_address: 'desk@example.com', name: 'Shop', from_name: 'Example shop' })
  await post('/inboxes', { email_address: 'press@example.com', name: 'Press' })
  const labels = new Map<string, string>()
  for (const [name, color] of Object.entries({ Orders: 'teal', Billing: 'iris', Urgent: 'crimson' }))
    labels.set(name, (await post(`/inboxes/${inbox.id}/labels`, { name, color })).id)
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true })
  for (const [name, subject, text, label] of QUESTIONS) {
    const from = `${name} <${name.split(' ')[0]!.toLowerCase()}@example.org>`
    const attachments = subject === 'Damaged corner' ? [{ filename: 'corner.jpg', content: 'jpg' }] : []
    await transport.sendMail({
      from,
      to: 'desk@example.com',
      subject,
      text: `Hello,\n\n${text}\n\n${name}`,
      attachments,
    })
    const path = `/inboxes/${inbox.id}/threads`
    const { data } = (await post(path, null)) as unknown as { data: { id: string }[] }
    const thread = `${path}/${data[0]!.id}`
    if (label) await post(`${thread}/labels`, { labels: [labels.get(label)] })
    if (subject !== 'Where is my parcel?') continue
    const emails = (await post(`${thread}/emails`, null)) as unknown as { data: { id: string }[] }
    const answer = 'It left us on Monday and should be with you tomorrow. Here is the number to follow it: 10482.'
    await post(`${thread}/emails/${emails.data[0]!.id}/reply`, { html: `<p>Hello Ada,</p><p>${answer}</p>` })
  }
  return inbox.id
}

/** What somebody who signs up gets within two weeks, in a sandbox of its own: some of it to a server that is not at its best. */
async function rehearse(post: Post): Promise<string> {
  const { id } = await post('/sandboxes', { name: 'Sign-up', expires_in: '1 day' })
  const at = (path: string) => `/sandboxes/${id}${path}`
  await post(at('/clock'), { is_frozen: true }, 'PATCH')
  const rules = [
    { match: { subject: 'Welcome' }, outcome: { greylisted: 1, opened: { after: '2 hours' } } },
    { match: { to: 'grace@*' }, outcome: { reply: '550 5.1.1 no such user' } },
  ]
  await post(at('/scenario'), { rules }, 'PUT')
  const mail = (to: string, subject: string, scheduled_at: string) =>
    post(at('/emails'), { from: 'Shop <hello@example.com>', to, subject, html: MAIL, scheduled_at })
  await mail(RECIPIENTS[0]!, 'Welcome aboard', 'in 1 hour')
  await mail(RECIPIENTS[0]!, 'How is it going?', 'in 3 days')
  await mail(RECIPIENTS[1]!, 'Your trial ends soon', 'in 6 days')
  return id
}

async function fill(base: string, key: string, smtpPort: number) {
  const post: Post = async (path, body, method = 'POST') => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = body ? { method, headers, body: JSON.stringify(body) } : { headers }
    return (await fetch(`${base}${path}`, request)).json() as Promise<{ id: string }>
  }
  const from = 'Shop <hello@example.com>'
  for (let index = 0; index < 24; index++) {
    const to =
      index % 9 === 4 ? 'bounced@resend.dev' : index % 11 === 6 ? 'suppressed@resend.dev' : RECIPIENTS[index % 6]!
    await post('/emails', { from, to, subject: SUBJECTS[index % 6]!, html: MAIL })
  }
  await post('/emails', {
    from,
    to: RECIPIENTS[1],
    subject: 'Your trial ends soon',
    html: MAIL,
    scheduled_at: 'in 2 days',
  })
  const order = { from, to: RECIPIENTS.slice(0, 2), subject: 'Your receipt for order 10482', html: MAIL }
  const tags = [{ name: 'kind', value: 'receipt' }]
  const attachments = [{ filename: 'receipt.pdf', content: Buffer.from('%PDF-1.4').toString('base64') }]
  const email = await post('/emails', { ...order, tags, attachments })
  const template = await post('/templates', {
    ...{ name: 'Welcome', alias: 'welcome', from, subject: 'Welcome, {{{NAME}}}' },
    html: '<h1>Welcome, {{{NAME|friend}}}</h1>\n<p>You are on the plan <b>{{{PLAN}}}</b>.</p>',
    variables: [
      { key: 'NAME', type: 'string', fallback_value: 'friend' },
      { key: 'PLAN', type: 'string', fallback_value: 'Free' },
    ],
  })
  const segment = await post('/segments', { name: 'Customers' })
  const automation = await automate(post, template.id, segment.id)
  for (const email of RECIPIENTS) {
    const first_name = email[0]!.toUpperCase() + email.slice(1, email.indexOf('@'))
    await post('/contacts', { email, first_name, segments: [segment] })
  }
  const hook = createServer((request, reply) => {
    request.resume()
    reply.end('thanks')
  }).listen(0, '127.0.0.1')
  await once(hook, 'listening')
  const endpoint = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hooks/mail`
  const webhook = await post('/webhooks', { endpoint, events: ['email.sent', 'email.delivered', 'contact.created'] })
  const broadcast = await post('/broadcasts', {
    ...{
      name: 'November news',
      segment_id: segment.id,
      from,
      subject: 'What is new, {{{FIRST_NAME|friend}}}',
      send: true,
    },
    html: '<h1>Good day {{{FIRST_NAME|friend}}}</h1>\n<p>The winter tables are here.</p>',
  })
  await createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true }).sendMail({
    ...{ from: 'Ada Lovelace <ada@example.com>', to: 'help@example.com', subject: 'Where is my parcel?' },
    html: '<p>Hello,</p><p>I ordered a desk tray last week. Could you look where it is?</p><p>Ada</p>',
    attachments: [{ filename: 'order.pdf', content: '%PDF-1.4' }],
  })
  const inbox = await receive(post, smtpPort)
  const sandbox = await rehearse(post)
  await new Promise((resolve) => setTimeout(resolve, 4_000)) // until all of it is delivered, told and counted
  hook.close()
  return {
    ...{ email: email.id, template: template.id, broadcast: broadcast.id, webhook: webhook.id },
    ...{ automation, inbox, sandbox },
  }
}

await main()
