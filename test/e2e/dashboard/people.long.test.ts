import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/db/sql.ts'
import { seriousFaults } from '../../harness/axe.ts'
import { openBrowser } from '../../harness/chromium.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { postwren } from '../../harness/program.ts'
import { eventually } from '../../harness/service.ts'
import { databaseOf } from '../../harness/service-database.ts'

/** A device that keeps passkeys, and whose owner is there and willing. */
async function plugIn(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  await client.send('WebAuthn.addVirtualAuthenticator', { options })
}

/** The status of what the page could ask for, whatever buttons it has. */
const asPage = (page: Page, method: string, path: string, body: object = {}): Promise<number> =>
  page.evaluate(
    async ([way, url, text]) => {
      const headers = { 'content-type': 'application/json', 'x-postwren-dashboard': '1' }
      return (await fetch(url!, { method: way!, headers, body: text! })).status
    },
    [method, path, JSON.stringify(body)],
  )

/** In the page of somebody: makes a team and invites to it. Gives the status of that. */
const INVITE = async ({ team, email }: { team: string; email: string }) => {
  const headers = { 'content-type': 'application/json', 'x-postwren-dashboard': '1' }
  const post = (path: string, body: object, more = {}) =>
    fetch(path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })
  const { id } = (await (await post('/teams', { name: team })).json()) as { id: string }
  return (await post('/invitations', { email, role: 'viewer' }, { 'x-postwren-team': id })).status
}

describe.runIf(CHROMIUM)('people', () => {
  const at = startDashboard({ isSignedIn: false })

  /** The last link that the log tells: nobody can read the mail in inbox mode. */
  const linkInLog = (subject: string) => {
    const line = at.service.stderr.split('\n').findLast((one) => one.includes(`${subject}"`))
    return line && (JSON.parse(line) as { link: string }).link
  }
  const linkTo = async (subject: string) => {
    await at.service.until(() => linkInLog(subject) !== undefined)
    return linkInLog(subject)!
  }

  test('the first owner signs in by the printed link, adds a passkey and comes back with it', async () => {
    const { page } = await openBrowser()
    await plugIn(page)
    const environment = { POSTWREN_DATA_DIR: at.service.dataDir, POSTWREN_PORT: new URL(at.service.url).port }
    const { stdout } = await postwren(['user', 'link', 'ada@example.com'], { environment })

    await page.goto(stdout.split('\n')[0]!)
    await at.button('Sign in', page).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'Account' }).click()
    expect(page.url()).not.toContain('#')
    await page.getByText('ada@example.com').waitFor()
    await at.button('Add passkey', page).click()
    await page.getByRole('row', { name: /Chrome on Linux Never/ }).waitFor()
    await page.getByRole('row', { name: /Chrome on Linux current Terminal link/ }).waitFor()
    await at.button('Sign out', page).last().click()
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    await at.button('Use a passkey', page).click()

    await page.getByRole('row', { name: /Chrome on Linux current Passkey/ }).waitFor()
    // An hour later, what is dangerous asks who it is, and goes on by itself.
    const db = await databaseOf(at.service)
    await db.query(sql`update user_sessions set verified_at = verified_at - interval '1 hour'`)
    await eventually(async () => (await asPage(page, 'POST', '/account/passkeys/options')) === 403)
    await at.button('Actions for Chrome on Linux', page).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await at.button('Remove passkey', page).click()
    await page.getByRole('dialog', { name: 'Confirm your identity' }).waitFor()
    await at.button('Use a passkey', page.getByRole('dialog', { name: 'Confirm your identity' })).click()
    await page.getByText('Passkey removed').waitFor()
    // The link was used: whoever finds it gets nothing.
    const { page: other } = await openBrowser()
    await other.goto(stdout.split('\n')[0]!)
    await at.button('Sign in', other).click()
    await other.getByRole('alert').getByText('This link was already used or has expired.').waitFor()
  })

  test('the door is for everybody, by day and by night', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await openBrowser({ colorScheme, viewport: { width: 390, height: 800 } })
      await page.goto(`${at.service.url}/dashboard`)
      await at.button('Email me a link', page).waitFor()
      expect(await seriousFaults(page)).toEqual([])
      await at.button('Use an API key instead', page).click()
      expect(await seriousFaults(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    }
  })

  test('somebody who is invited joins by the mail, may look, and signs in again by another mail', async () => {
    const { page: owner } = await openBrowser()
    await owner.goto(at.link)
    await owner.locator('main').waitFor()
    const invited = await asPage(owner, 'POST', '/invitations', { email: 'bob@example.com', role: 'viewer' })
    expect(invited).toBe(201)

    const { page } = await openBrowser()
    await page.goto(await linkTo('invited you to default on Postwren'))
    await page.getByText('as viewer').waitFor()
    await at.button('Join default', page).click()
    await page.getByRole('link', { name: 'Mail', exact: true }).waitFor()
    expect(page.url()).not.toContain('invitation')
    expect(await page.evaluate('sessionStorage.getItem("invitation")')).toBeNull()
    expect(await asPage(page, 'POST', '/topics', { name: 'News' })).toBe(403)

    await at.button('Sign out', page).click()
    await page.getByLabel('Email', { exact: true }).fill('bob@example.com')
    await at.button('Email me a link', page).click()
    await page.getByText('If bob@example.com has an account').waitFor()
    await page.goto(await linkTo('Sign in to Postwren'))
    await at.button('Sign in', page).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByRole('row', { name: /current Email link/ }).waitFor()
  })

  test('who has an account signs in to it before they join, and whoever is signed in as another is told so', async () => {
    const { page: owner } = await openBrowser()
    const environment = { POSTWREN_DATA_DIR: at.service.dataDir, POSTWREN_PORT: new URL(at.service.url).port }
    const linkOf = async (email: string) =>
      (await postwren(['user', 'link', email], { environment })).stdout.split('\n')[0]!
    await owner.goto(await linkOf('ada@example.com'))
    await at.button('Sign in', owner).click()
    await owner.getByRole('link', { name: 'Settings' }).waitFor()
    expect(await owner.evaluate(INVITE, { team: 'Initech', email: 'bob@example.com' })).toBe(201)
    const invitation = await linkTo('invited you to Initech on Postwren')

    // The one who invites opens it, too.
    await owner.goto(invitation)
    await owner.getByText('The invitation is for bob@example.com, and you are signed in as ada@example.com.').waitFor()
    await at.button('Not now', owner).click()

    const { page, answers } = await openBrowser()
    await page.goto(invitation)
    await page.getByText('There is an account for bob@example.com').waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await at.button('Sign in', page).click()
    await at.button('Email me a link', page).waitFor()
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('bob@example.com')
    await page.goto(await linkOf('bob@example.com'))
    await at.button('Sign in', page).click()
    const dialog = page.getByRole('dialog', { name: 'Invitation' })
    await at.button('Join team', dialog).click()

    await page.getByRole('button', { name: /^Initech/ }).waitFor()
    expect(await owner.evaluate(INVITE, { team: 'Hooli', email: 'bob@example.com' })).toBe(201)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'Account' }).click()
    await at.button('Join Hooli', page.getByRole('row', { name: /^Hooli viewer ada@example.com/ })).click()
    await page.getByRole('button', { name: /^Hooli/ }).waitFor()
    expect(answers.filter((address) => address.includes(invitation.split('=')[1]!))).toEqual([])
  })
})
