import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'

describe.runIf(CHROMIUM)('a list of the dashboard', () => {
  const at = startDashboard()
  const row = (name: RegExp | string) => at.page.getByRole('row', { name })
  const scrolled = () => at.page.evaluate('document.querySelector("main").scrollTop') as Promise<number>
  const address = () => new URL(at.page.url()).searchParams
  const press = async (...keys: string[]) => {
    for (const key of keys) await at.page.keyboard.press(key)
  }

  test('is searched as one writes, and terms become chips, which the address has, too', async () => {
    const email = { from: 'Ada <ada@example.com>', text: 'Hi' }
    await at.post(
      '/emails/batch',
      Array.from({ length: 60 }, (_, n) => ({ ...email, to: `person${n}@example.com`, subject: `Number ${n}` })),
    )
    await at.post('/emails', { ...email, to: 'bounced@resend.dev', subject: 'Returned parcel' })
    await at.post('/emails', { ...email, to: 'grace@example.com', subject: 'Parcel for you' })
    await at.follow('/emails')
    await row(/Parcel for you delivered/).waitFor()

    await at.page.locator('main').focus()
    await press('/')
    await at.page.keyboard.type('parcel')
    await row(/Number/)
      .first()
      .waitFor({ state: 'detached' })
    await row(/Returned parcel bounced/).waitFor()
    expect(address().get('q')).toBe('parcel')
    await at.page.keyboard.type(' status:bounced from:ada')
    await press('Enter')
    await row(/Parcel for you/).waitFor({ state: 'detached' })
    await row(/Returned parcel/).waitFor()
    expect(await at.page.getByLabel('Search emails').inputValue()).toBe('parcel')
    expect(Object.fromEntries(address())).toEqual({ status: 'bounced', q: 'from:ada parcel' })
    await at.page.reload()
    await row(/Returned parcel/).waitFor()
    const chips = at.page.getByRole('list', { name: 'Active filters' })
    expect(await chips.getByRole('listitem').allTextContents()).toEqual(['Status: Bounced', 'From: ada'])
    await at.button('Remove Status: Bounced').focus()
    await press('Enter')
    await row(/Parcel for you/).waitFor()
  })

  test('is filtered by a panel with presets and a calendar', async () => {
    await at.button(/^Filters/).click()
    await at.page.getByLabel('To', { exact: true }).fill('grace@')
    await press('Enter')
    await row(/Returned parcel/).waitFor({ state: 'detached' })
    await at.button('7 days').click()
    await at.button('Remove Date: 7 days').waitFor()
    expect(address().get('created_after')).toBe('7d')
    await row(/Parcel for you/).waitFor()
    await at.button('Custom range').click()
    await at.button('Previous month').click()
    const days = at.page.getByRole('gridcell').getByRole('button')
    await days.nth(4).click()
    await at.page.getByText('No emails match this filter').waitFor()
    expect(address().get('created_after')).toMatch(/^\d{4}-\d\d-05$/)
    expect(await seriousFaults(at.page)).toEqual([])
    await press('Escape')
    await at.button('Clear all').click()
    await row(/Number 59/).waitFor()
    expect([...address()]).toEqual([])
  })

  test('is where it was when somebody comes back, and another page of it begins at its top', async () => {
    await at.page.evaluate('document.querySelector("main").scrollTo(0, 200)')
    // A pointer would scroll to the row first.
    await row(/Number 45/)
      .getByRole('link')
      .dispatchEvent('click')
    await at.page.getByRole('heading', { name: /Number 45/ }).waitFor()
    expect(await scrolled()).toBe(0)
    await at.page.goBack()
    await row(/Number 45/).waitFor()
    await expect.poll(scrolled).toBe(200)
    await at.button('Older').scrollIntoViewIfNeeded()
    const bottom = await scrolled()
    await at.button('Older').click()
    await row(/Number 30/).waitFor()
    await expect.poll(scrolled).toBeLessThan(200)
    await at.page.goBack()
    await row(/Number 59/).waitFor()
    await expect.poll(scrolled).toBe(bottom)
    // Also when nothing of it is known any more.
    await at.page.reload()
    await row(/Number 59/).waitFor()
    await expect.poll(scrolled).toBe(bottom)
  })

  test('has no column that is a hole', async () => {
    await at.page.setViewportSize({ width: 1920, height: 900 })
    for (const path of ['/emails', '/contacts', '/api-keys', '/logs']) {
      await at.follow(path)
      if (path !== '/contacts') await at.page.getByRole('row').nth(1).waitFor()
      const widths = (await at.page.evaluate(
        `[...document.querySelectorAll('main th')].map((cell) => cell.offsetWidth)`,
      )) as number[]
      expect(Math.max(0, ...widths), path).toBeLessThan(640)
    }
    await at.page.setViewportSize({ width: 1280, height: 860 })
  })

  test('of contacts is selected from, by pointer and by keys, and many are changed at once', async () => {
    for (let n = 0; n < 6; n++) await at.post('/contacts', { email: `c${n}@example.com`, first_name: `=SUM(${n})` })
    const segment = await at.post('/segments', { name: 'Readers' })
    await at.follow('/contacts')
    await at.page.getByRole('checkbox', { name: 'Select c5@example.com' }).click()
    await at.page.getByRole('checkbox', { name: 'Select c3@example.com' }).click({ modifiers: ['Shift'] })
    await at.page.getByText('3 selected').waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
    await at.button('Add to segment').click()
    await at.page.getByRole('menuitem', { name: 'Readers' }).click()
    await at.page.getByText('3 contacts added to segment').waitFor()
    const { data } = (await at.service.call('GET', `/contacts?segment_id=${segment.id}`)).body
    expect(data.map(({ email }: { email: string }) => email)).toEqual([
      ...['c5@example.com', 'c4@example.com', 'c3@example.com'],
    ])

    await at.page.locator('main').focus()
    await press('j', 'x', 'j', 'X')
    await at.page.getByText('2 selected').waitFor()
    await press('Escape')
    await at.page.getByText('2 selected').waitFor({ state: 'detached' })
    await press('x')
    await at.button('Unsubscribe').click()
    await at.button('Unsubscribe', at.dialog()).click()
    await row(/c4@example.com .*unsubscribed/).waitFor()
  })

  test('says which of many could not be deleted, and why', async () => {
    await at.page.route('**/contacts/*', (route) =>
      route.request().method() === 'DELETE' && refused.size === 0 && refused.add(route.request().url())
        ? route.fulfill({ status: 422, json: { statusCode: 422, name: 'validation_error', message: 'Not this one.' } })
        : route.continue(),
    )
    const refused = new Set<string>()
    await at.page.getByRole('checkbox', { name: /^Select all contacts/ }).click()
    await at.page.getByText('6 selected').waitFor()
    await at.button('Delete').click()
    await at.button('Delete', at.dialog()).click()
    await at.dialog().getByText('1 failed').waitFor()
    await at.dialog().getByText('Not this one.').waitFor()
    await at.page.getByText('5 contacts deleted').waitFor()
    await at.page.unroute('**/contacts/*')
    await press('Escape', 'Escape')
    expect(await at.page.getByRole('row').count()).toBe(2)
  })

  test('of suppressions and of emails has what fits them', async () => {
    for (const email of ['a@gone.example', 'b@gone.example']) await at.post('/suppressions', { email })
    await at.follow('/suppressions?q=gone')
    await row(/a@gone.example/).waitFor()
    await at.page.locator('main').focus()
    await press('*')
    await at.button('Remove', at.page.getByRole('region', { name: 'Selected suppressions' })).click()
    await at.button('Remove', at.dialog()).click()
    await at.page.getByText('2 suppressions removed').waitFor()
    await at.page.getByText('No suppressions match this filter').waitFor()

    const later = {
      from: 'a@example.com',
      to: 'later@example.com',
      subject: 'Later',
      text: 'x',
      scheduled_at: 'in 2 days',
    }
    await at.post('/emails', later)
    await at.follow('/emails?q=later')
    await at.page.getByRole('checkbox', { name: 'Select Later to later@example.com' }).click()
    await at.button('Cancel scheduled').click()
    await at.button('Cancel scheduled', at.dialog()).click()
    await row(/Later canceled/).waitFor()
  })

  test('is exported as it is searched, with formulas as text', async () => {
    await at.post('/contacts', { email: 'spread@sheet.example', first_name: '=1+1' })
    await at.follow('/contacts?q=sheet')
    await row(/spread@sheet.example/).waitFor()
    const [download] = await Promise.all([at.page.waitForEvent('download'), at.button('Export CSV').click()])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    expect(download.suggestedFilename()).toBe('contacts.csv')
    expect(lines[0]).toMatch(/^id,email,first_name,last_name,unsubscribed,created_at,segments,topics\b/)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(",spread@sheet.example,'=1+1,")
    await at.page.getByText('1 row exported').waitFor()
  })

  test('is cards on a telephone, with its filters behind one button', async () => {
    await at.page.setViewportSize({ width: 390, height: 800 })
    await at.follow('/emails?status=delivered')
    const cards = at.page.getByRole('list', { name: 'emails' })
    const card = cards.getByRole('listitem').filter({ hasText: 'Number 59' })
    await card.getByText('delivered', { exact: true }).waitFor()
    await card.locator('time').waitFor()
    expect(await at.page.getByRole('table').count()).toBe(0)
    expect(await at.page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(await at.button('Remove Status: Delivered').count()).toBe(0)
    expect(await seriousFaults(at.page)).toEqual([])
    await at.button('Filters 1 active').click()
    await at.button('Remove Status: Delivered').click()
    await press('Escape')
    await cards.getByText('Returned parcel').waitFor()
    await card.click({ position: { x: 200, y: 45 } })
    await at.page.getByRole('heading', { name: /Number 59/ }).waitFor()
  })

  test('the command menu finds pages, actions, people, subjects and ids', async () => {
    await at.page.setViewportSize({ width: 1280, height: 860 })
    const { id } = await at.post('/contacts', { email: 'grace@hopper.example', first_name: 'Grace' })
    await at.follow('/domains')
    const option = (name: string | RegExp) => at.page.getByRole('option', { name })
    await press('Control+k')
    await at.page.getByRole('combobox').fill('audit')
    await option(/Audit log/).click()
    await at.page.waitForURL(/\/audit$/)
    await at.button(/^Search Ctrl/).click()
    await option('Domains').first().waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
    await at.page.keyboard.type('create api')
    await press('Enter')
    await at.dialog().getByRole('heading', { name: 'Create API key' }).waitFor()
    await press('Escape', 'Control+k')
    await at.page.keyboard.type('hopper')
    await option(/grace@hopper.example/).click()
    await at.page.waitForURL(new RegExp(`/contacts/${id}$`))
    await press('Control+k')
    await at.page.keyboard.type('returned')
    await option(/Returned parcel/).waitFor()
    await at.page.getByRole('combobox').fill(id)
    await option(/grace@hopper.example Contact/).waitFor()
    expect(await at.page.getByRole('option').count()).toBe(1)
    // A key is looked for by its end, and goes nowhere.
    const asked = at.answers.length
    await at.page.getByRole('combobox').fill('re_secret_of_somebody')
    await at.page.getByText('No API key ends with these characters').waitFor()
    expect(at.answers.slice(asked).filter((url) => url.includes('secret'))).toEqual([])
    await at.page.getByRole('combobox').fill('toggle theme')
    await press('Enter')
    expect(await at.page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await press('Control+k')
    await option('Contacts').first().waitFor()
    await press('Escape')
  })

  test('and ? says the keys of the page', async () => {
    await at.follow('/contacts')
    await row(/grace@hopper.example/).waitFor()
    await at.page.locator('main').focus()
    await press('?')
    await at.dialog().getByText('Select or deselect row').waitFor()
    await at.dialog().getByText('Mail: Sent').waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
    await press('Escape')
    await at.follow('/domains')
    await press('?')
    await at.dialog().getByText('Everywhere').waitFor()
    expect(await at.dialog().getByText('Select or deselect row').count()).toBe(0)
    expect(at.errors).toEqual([])
  })
})
