import { describe, expect, test } from 'vitest'
import { openBrowser } from '../../harness/chromium.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'

describe.runIf(CHROMIUM)('the dashboard', () => {
  const at = startDashboard({ isSignedIn: false })

  test('a newcomer opens the printed link, presses one button and sees the email, its timeline and its rendering', async () => {
    await at.page.goto(at.link)
    await at.page.getByText(`$(cat '${at.service.dataDir}/api-key')`).waitFor()
    // The news of it may come before the answer.
    await at.page.route('**/emails', async (route) => {
      const response = await route.fetch()
      await at.page.getByRole('row', { name: /delivered@resend.dev/ }).waitFor()
      await route.fulfill({ response })
    })
    await at.button('Send test email').click()

    await at.page.getByRole('heading', { name: 'It works delivered' }).waitFor()
    await at.page.locator('.timeline').getByText('delivered').waitFor()
    await at.page.frameLocator('iframe[title]').getByRole('heading', { name: 'It works.' }).waitFor()
    expect(at.page.url()).not.toContain('link=')
    await at.page.getByText('250 2.0.0').waitFor()
    await at.page.unroute('**/emails')
  })

  test('the link works once: another browser with it sees the door, and a key opens it', async () => {
    const { page: other } = await openBrowser()
    await other.goto(at.link)

    await at.button('Use an API key instead', other).click()
    await other.getByLabel('API key').fill('re_wrong')
    await at.button('Sign in', other).click()
    await other.getByRole('alert').getByText('API key is invalid').waitFor()
    await other.getByLabel('API key').fill(at.service.token)
    await at.button('Sign in', other).click()
    await other.getByText('delivered@resend.dev').first().waitFor()
    await at.button('Sign out', other).click()
    await other.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  })

  test('a revoked key shows its people the door', async () => {
    const { id, token } = (await at.service.call('POST', '/api-keys', { name: 'for a while' })).body
    const { page: other } = await openBrowser()
    await other.goto(`${at.service.url}/dashboard/api-keys`)
    await at.button('Use an API key instead', other).click()
    await other.getByLabel('API key').fill(token)
    await at.button('Sign in', other).click()
    await other.getByRole('row', { name: /for a while/ }).waitFor()

    await at.service.call('DELETE', `/api-keys/${id}`)
    // Whatever is asked for next; the page may have heard of it before.
    await other.evaluate('__TSR_ROUTER__.navigate({ to: "/segments" })')

    await other.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  })

  test('what is sent elsewhere appears without a reload', async () => {
    await at.follow('/emails')
    await at.page.getByText('delivered@resend.dev').first().waitFor()

    await at.post('/emails', { from: 'a@example.com', to: 'ada@example.com', subject: 'News', text: 'Hi' })

    await at.page.getByRole('row', { name: /ada@example.com News delivered/ }).waitFor()
  })

  test('emails are filtered, paged by cursor and walked through by keyboard, and the address says where one is', async () => {
    const batch = Array.from({ length: 60 }, (_, index) => ({
      ...{ from: 'a@example.com', to: 'list@example.com', subject: `Number ${index}`, text: 'Hi' },
    }))
    await at.post('/emails/batch', batch)
    await at.follow('/emails?to=list@example.com')
    await at.page.getByText('Number 59').waitFor()

    await at.button('Older').click()
    await at.page.getByText('Number 34').waitFor()
    await at.page.reload()
    await at.page.getByText('Number 34').waitFor()
    await at.button('Newer').click()
    await at.page.getByText('Number 59').waitFor()
    await at.page.locator('main').focus()
    await at.page.keyboard.press('j')
    await at.page.keyboard.press('j')
    await at.page.keyboard.press('Enter')
    await at.page.getByRole('heading', { name: /Number 58/ }).waitFor()
    await at.page.getByRole('tab', { name: 'Source' }).click()
    await at.page.getByText('Message-ID: <').waitFor()
    await at.page.keyboard.press('g')
    await at.page.keyboard.press('d')
    await at.page.getByRole('heading', { name: 'Domains', exact: true }).waitFor()
  })

  test('by status, tag and day, and what fits no email is said in words', async () => {
    const email = { from: 'a@example.com', to: 'bounced@resend.dev', subject: 'Back', text: 'Hi' }
    await at.post('/emails', { ...email, tags: [{ name: 'kind', value: 'test' }] })
    await at.follow('/emails')
    await at.page.getByRole('row', { name: /Back bounced/ }).waitFor()

    await at.button('Filters').click()
    await at.page.getByLabel('Status').selectOption('bounced')
    await at.page.getByText('News').waitFor({ state: 'detached' })
    await at.page.getByLabel('Tag', { exact: true }).fill('kind:test')
    await at.page.keyboard.press('Enter')
    await at.button('Remove Tag: kind:test').waitFor()
    await at.page.getByRole('row', { name: /Back bounced/ }).waitFor()
    await at.page.keyboard.press('Escape')
    await at.page.getByRole('dialog', { name: 'Filters' }).waitFor({ state: 'detached' })
    await at.follow('/emails?status=bounced&created_before=2020-01-01')
    await at.page.getByText('No emails match this filter').waitFor()
    await at.button('Clear filters').click()
    await at.page.getByRole('row', { name: /Number 59/ }).waitFor()
  })

  test('a part of an address finds: emails, contacts and suppressions', async () => {
    await at.post('/contacts', { email: 'grace@navy.example' })
    await at.post('/suppressions', { email: 'grace@navy.example' })
    await at.open('/emails')
    await at.page.getByLabel('Search emails').fill('ada@')
    await at.page.getByText('Number 59').waitFor({ state: 'detached' })
    await at.page.getByRole('row', { name: /ada@example.com News/ }).waitFor()
    for (const path of ['contacts', 'suppressions']) {
      await at.follow(`/${path}`)
      const field = at.page.getByLabel(`Search ${path}`)
      await field.fill('navy')
      await at.button('Clear all').waitFor()
      await at.page.getByRole('row', { name: /grace@navy.example/ }).waitFor()
      // Whoever writes on before the answer is there loses nothing.
      await field.fill('nav')
      await at.page.keyboard.press('Enter')
      await field.fill('army')
      await at.page.getByText(/^No \w+ match this filter$/).waitFor()
      expect(await field.inputValue()).toBe('army')
    }
  })

  test('nothing was thrown in the page all the while', () => {
    expect(at.errors).toEqual([])
  })
})
