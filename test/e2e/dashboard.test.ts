import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../harness/chromium.ts'
import { CHROMIUM } from '../harness/chromium-path.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The address with the code that a start prints. */
const linkOf = ({ stdout }: Service) => /^ {2}Dashboard +(\S+)$/m.exec(stdout)![1]!

describe.runIf(CHROMIUM)('the dashboard', () => {
  let service: Service
  let page: Page
  let errors: string[]
  const open = (path: string) => page.goto(`${service.url}/dashboard${path}`)
  const button = (name: string | RegExp, within: Pick<Page, 'getByRole'> = page) => within.getByRole('button', { name })
  const dialog = () => page.getByRole('dialog')

  beforeAll(async () => {
    service = await Service.start({ dataDir: await dataFolder({ lifetime: 'file' }), lifetime: 'file' })
    const browser = await openBrowser({ lifetime: 'file' })
    page = browser.page
    errors = browser.errors
  })

  test('a newcomer opens the printed link, presses one button and sees the email, its timeline and its rendering', async () => {
    await page.goto(linkOf(service))
    await button('Send a test email').click()

    await page.getByRole('heading', { name: 'It works delivered' }).waitFor()
    await page.locator('.timeline').getByText('delivered').waitFor()
    await page.frameLocator('iframe').getByRole('heading', { name: 'It works.' }).waitFor()
    expect(page.url()).not.toContain('link=')
    await page.getByText('250 2.0.0').waitFor()
  })

  test('the link works once: another browser with it sees the door, and a key opens it', async () => {
    const { page: other } = await openBrowser()
    await other.goto(linkOf(service))

    await other.getByLabel('API key').fill('re_wrong')
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('alert').getByText('API key is invalid').waitFor()
    await other.getByLabel('API key').fill(service.token)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('link', { name: 'It works' }).or(other.getByText('delivered@resend.dev')).first().waitFor()
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('what is sent elsewhere appears without a reload', async () => {
    await open('/emails')
    await page.getByText('delivered@resend.dev').first().waitFor()

    await service.call('POST', '/emails', { from: 'a@example.com', to: 'ada@example.com', subject: 'News', text: 'Hi' })

    await page.getByRole('row', { name: /ada@example.com News delivered/ }).waitFor()
  })

  test('emails are filtered, paged by cursor and walked through by keyboard, and the address says where one is', async () => {
    const batch = Array.from({ length: 60 }, (_, index) => ({
      ...{ from: 'a@example.com', to: 'list@example.com', subject: `Number ${index}`, text: 'Hi' },
    }))
    await service.call('POST', '/emails/batch', batch)
    await open('/emails?to=list@example.com')
    await page.getByText('Number 59').waitFor()

    await button('Older').click()
    await page.getByText('Number 34').waitFor()
    await page.reload()
    await page.getByText('Number 34').waitFor()
    await button('Newer').click()
    await page.getByText('Number 59').waitFor()
    await page.locator('main').focus()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /Number 58/ }).waitFor()
    await page.getByRole('tab', { name: 'Source' }).click()
    await page.getByText('Message-ID: <').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor()
  })

  test('a scheduled email is canceled, and another one sent again and shared', async () => {
    const soon = { from: 'a@example.com', to: 'b@example.com', subject: 'Later', text: 'Hi', scheduled_at: 'in 1 hour' }
    const { id } = (await service.call('POST', '/emails', soon)).body
    await open(`/emails/${id}`)

    await button('Reschedule').click()
    await dialog().getByLabel('When').fill('in 2 hours')
    await button('Reschedule', dialog()).click()
    await page.getByText('Rescheduled').waitFor()
    await button('Cancel').click()
    await button('Cancel the email', dialog()).click()
    await page.getByRole('heading', { name: 'Later canceled' }).waitFor()
    await button('Send again').click()
    await page.getByRole('heading', { name: /Later delivered/ }).waitFor()
    await button('Share').click()
    await dialog().getByText('/shared?token=').waitFor()
  })

  test('a domain is added, its records can be copied, and verifying it shows that somebody looks', async () => {
    await open('/domains')
    await button('Add domain').first().click()
    await dialog().getByLabel('Name').fill('example.com')
    await button('Add domain', dialog()).click()

    await page.getByRole('row', { name: /DKIM TXT/ }).waitFor()
    await button('Copy the value').first().click()
    await button('Copied').waitFor()
    await button('Verify').click()
    await button('Looking…').waitFor()
  })

  test('a template is written with a live preview, and published', async () => {
    await open('/templates')
    await button('Add template').first().click()
    await dialog().getByLabel('Name').fill('Welcome')
    await button('Add template', dialog()).click()
    await button('Declare NAME').click()
    await page.getByLabel('Value of NAME in the preview').fill('Ada')

    await page.frameLocator('iframe').getByRole('heading', { name: 'Hello Ada' }).waitFor()
    await button('Publish').click()
    await page.getByText('Published', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Welcome published' }).waitFor()
  })

  test('a file is imported into a segment, with its columns named by hand', async () => {
    await open('/segments')
    await button('Add segment').first().click()
    await dialog().getByLabel('Name').fill('Readers')
    await button('Add segment', dialog()).click()
    await page.getByRole('link', { name: 'Readers' }).waitFor()
    await open('/imports')
    await button('Import a file').click()
    const csv = 'Mail,Given name,Plan\nada@example.com,Ada,pro\nbob@example.com,Bob,free\n'
    await page.getByLabel('CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await dialog().getByLabel('Mail', { exact: true }).selectOption('email')
    await dialog().getByLabel('Plan', { exact: true }).selectOption('a property (text)')
    await dialog().getByLabel('Into the segment').selectOption('Readers')
    await button('Import', dialog()).click()

    await page
      .getByRole('row')
      .filter({ hasText: /completed2 rows2/ })
      .waitFor()
    await open('/contacts/ada@example.com')
    await page.getByLabel('plan').waitFor()
    expect(await page.getByLabel('plan').inputValue()).toBe('pro')
    await page.getByText('Readers').first().waitFor()
  })

  test.each([
    { path: '/topics', add: 'Add topic', fields: { Name: 'News' }, row: /News/ },
    { path: '/properties', add: 'Add property', fields: { Key: 'city' }, row: /city string/ },
    { path: '/contacts', add: 'Add contact', fields: { Email: 'eve@example.com' }, heading: /eve@example.com/ },
    {
      path: '/suppressions',
      add: 'Suppress an address',
      fields: { Email: 'no@example.com' },
      row: /no@example.com manual/,
    },
  ])('$path: one is added', async ({ path, add, fields, row, heading }) => {
    await open(path)
    await button(add).first().click()
    for (const [label, value] of Object.entries(fields)) await dialog().getByLabel(label, { exact: true }).fill(value!)
    await button(add, dialog()).click()

    if (row) await page.getByRole('row', { name: row }).waitFor()
    else await page.getByRole('heading', { name: heading! }).waitFor()
  })

  test('a suppression is removed again, after a question', async () => {
    await open('/suppressions')
    await button('Actions for no@example.com').click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await button('Remove it', dialog()).click()

    await page.getByText('No suppressions yet').waitFor()
  })

  test('a form says what is wrong with it: the browser before it is sent, the server after', async () => {
    await open('/properties')
    await button('Add property').first().click()
    await dialog().getByLabel('Key').fill('not a key!')
    await button('Add property', dialog()).click()
    expect(await page.locator('input:invalid').getAttribute('name')).toBe('key')

    await dialog().getByLabel('Key').fill('city')
    await button('Add property', dialog()).click()
    await dialog().getByRole('alert').waitFor()
  })

  test('a key is shown once, and works', async () => {
    await open('/api-keys')
    await button('Make a key').first().click()
    await dialog().getByLabel('Name').fill('web shop')
    await button('Make a key', dialog()).click()
    const token = await dialog().locator('code').textContent()
    await button('Close', dialog()).click()

    expect((await service.call('GET', '/topics', undefined, token!)).status).toBe(200)
    expect(await page.content()).not.toContain(token!)
    await page.getByRole('row', { name: /web shop/ }).waitFor()
  })

  test('logs show what a program did, metrics what became of it, settings what runs', async () => {
    await service.call('POST', '/contacts', { email: 'nonsense' })
    await open('/logs')
    await page.getByRole('link', { name: 'POST /contacts' }).first().click()
    await page.getByText('needs to follow').waitFor()
    await open('/metrics')
    await page.locator('.chart').first().waitFor()
    expect(Number(await page.locator('.figures dd').first().textContent())).toBeGreaterThan(60)
    await open('/settings')
    await page.getByText('Embedded PostgreSQL').waitFor()
  })

  test.each(['light', 'dark'] as const)('nothing serious stands in the way of anybody, %s', async (theme) => {
    const first = async (path: string) => `${path}/${(await service.call('GET', `${path}?limit=1`)).body.data[0].id}`
    await open('/emails')
    await page.evaluate(`localStorage.setItem('theme', '${theme}')`)
    const shown = ['/emails', await first('/emails'), '/metrics', await first('/domains'), '/settings']
    // The colours are the same everywhere: for the other theme a few pages will do.
    const others = [
      await first('/templates'),
      '/contacts',
      '/contacts/ada@example.com',
      '/imports',
      '/api-keys',
      '/logs',
    ]
    const faults: string[] = []
    for (const path of theme === 'light' ? [...shown, ...others] : shown) {
      await open(path)
      await page.locator('main h1').waitFor()
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      faults.push(...(await seriousFaults(page)).map((fault) => `${path}: ${fault}`))
    }

    expect(await page.evaluate('getComputedStyle(document.body).colorScheme')).toBe(theme)
    expect(faults).toEqual([])
  })

  test('a missing page, a missing email and a service that is gone are said in words', async () => {
    await open('/no/such/page')
    await page.getByText('There is no such page').waitFor()
    await open('/emails/01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f')
    await page.getByText('Email not found').waitFor()
    await page.route('**/topics?*', (route) => route.abort())
    await open('/topics')
    await page.getByText('The service does not answer').waitFor()
    await page.unroute('**/topics?*')
    await button('Try again').click()
    await page.getByRole('row', { name: /News/ }).waitFor()
  })

  test('on a telephone the menu is behind a button, and no page is wider than the screen', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await open('/emails')
    await button('Menu').click()
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.setViewportSize({ width: 1280, height: 860 })
  })

  test('a revoked key shows its people the door', async () => {
    const { id, token } = (await service.call('POST', '/api-keys', { name: 'for a while' })).body
    const { page: other } = await openBrowser()
    await other.goto(`${service.url}/dashboard/topics`)
    await other.getByLabel('API key').fill(token)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('row', { name: /News/ }).waitFor()

    await service.call('DELETE', `/api-keys/${id}`)
    await other.getByRole('link', { name: 'Segments' }).click()

    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('nothing was thrown in the page all the while', async () => {
    await eventually(() => errors.length === 0, 100)
  })
})

/** What axe finds that keeps somebody from using the page. */
async function seriousFaults(page: Page): Promise<string[]> {
  // The policy of the page allows no script but ours; the tool comes in through the debugger.
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })`,
  )) as {
    violations: Violation[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target.join(' ')}`))
}

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly target: readonly unknown[] }[]
}
