import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    env: { ...process.env, POSTWREN_PORT: '4926', POSTWREN_DATA_DIR: join(dataDir, 'data') },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    let said = ''
    for await (const text of service.stdout) {
      said += text
      if (said.includes('Try it:')) break
    }
    await takePictures(/Dashboard +(\S+)/.exec(said)![1]!, /API key +(\S+)/.exec(said)![1]!)
  } finally {
    service.kill('SIGTERM')
    await once(service, 'exit')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function takePictures(link: string, key: string) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  await page.goto(link)
  await page.getByRole('button', { name: 'Send a test email' }).waitFor()
  await take(page, 'first-run')
  const { email, template } = await fill(new URL(link).origin, key)
  await page.goto(new URL('/dashboard/emails', link).href)
  await page.getByText('order 10482').waitFor()
  await take(page, 'emails')
  await page.goto(new URL(`/dashboard/emails/${email}`, link).href)
  await page.frameLocator('iframe').getByText('Thank you').waitFor()
  await take(page, 'email')
  await page.getByRole('button', { name: 'Dark theme' }).click()
  await page.goto(new URL(`/dashboard/templates/${template}`, link).href)
  await page.frameLocator('iframe').getByText('Welcome').waitFor()
  await take(page, 'template-dark')
  await browser.close()
}

const take = (page: Page, name: string) => page.screenshot({ path: `docs/images/${name}.png` })

async function fill(base: string, key: string) {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return (await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<{
      id: string
    }>
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
  await new Promise((resolve) => setTimeout(resolve, 2_000)) // until all of it is delivered
  return { email: email.id, template: template.id }
}

await main()
