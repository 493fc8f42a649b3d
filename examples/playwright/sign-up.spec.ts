import type { Page } from '@playwright/test'
import { test as base, expect } from 'postwren/testing/playwright'
import { startApp } from './app.mjs'

/** The application, once for each test, with a sandbox as its mail service. */
const test = base.extend<{ app: { url: string } }>({
  app: async ({ sandbox, page }, use) => {
    const app = await startApp({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, from: `hello@${sandbox.domain}` })
    await page.goto(app.url)
    await page.getByLabel('Email').fill('ada@example.com')
    await use(app)
    app.close()
  },
})

/** The next page is there when the application has sent its mail. */
async function signUp(page: Page) {
  await page.getByRole('button', { name: 'Sign up' }).click()
  await expect(page.getByLabel('Code')).toBeVisible()
}

test('the code in the mail lets me in', async ({ app: _, page, sandbox: { inbox } }) => {
  await signUp(page)
  const mail = await inbox.waitFor({ to: 'ada@example.com' })
  expect(mail).toHaveSubject('Confirm your address')

  await page.getByLabel('Code').fill(mail.code())
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('heading')).toHaveText('Welcome')
})

test('so does the link, and then nobody reminds me', async ({ app: _, page, sandbox: { inbox, clock } }) => {
  await signUp(page)
  const mail = await inbox.waitFor({ to: 'ada@example.com' })
  await page.goto(mail.link('confirm'))
  await expect(page.getByRole('heading')).toHaveText('Welcome')

  // It ends when everything has happened that was due: there is nothing left to wait for.
  await clock.advance('30 days')
  await inbox.expectNone({ subject: 'Still there?' }, { within: 0 })
})

test('after three days I am reminded', async ({ app: _, page, sandbox: { inbox, clock } }) => {
  await signUp(page)
  await inbox.waitFor({ subject: 'Confirm your address' })

  await clock.advance('3 days')
  expect(await inbox.waitFor({ subject: 'Still there?' })).toHaveLink('confirm')
})

test('a wrong address is noticed', async ({ app, page, sandbox: { scenario, clock } }) => {
  await scenario.set([{ match: { to: 'ada@example.com' }, outcome: { reply: '550 5.1.1 no such user' } }])
  await signUp(page)

  // Until the bounce has happened, and the application has heard of it.
  await clock.advance('0 seconds')
  await page.goto(`${app.url}/account?email=ada@example.com`)
  await expect(page.getByText('We cannot reach you.')).toBeVisible()
})
