import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/kernel/db/database.ts'
import { sql } from '../../../src/kernel/db/sql.ts'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { makeDeliveryTrouble, troubledSettings } from '../../harness/delivery-trouble.ts'
import { databaseOf } from '../../harness/service-database.ts'

describe.runIf(CHROMIUM)('in the dashboard, an operator', () => {
  const at = startDashboard({ settings: troubledSettings })
  const row = (name: RegExp) => at.page.getByRole('row', { name })
  let db: Database

  beforeAll(async () => {
    db = await databaseOf(at.service, 'file')
    await makeDeliveryTrouble(at, db)
  })

  test('sees where mail waits and why, trouble first', async () => {
    await at.follow('/delivery')
    await at.page.getByText(/^2 destinations cannot be reached: .*mx1\.silent\.example/).waitFor()

    const names = await at.page
      .getByRole('table', { name: /by destination/ })
      .locator('tbody td.title')
      .allTextContents()
    expect(names).toEqual([
      ...['mx1.silent.example mx2.silent.example', 'mx.gone.example', 'outlook', 'gmail', 'mx.busy.example'],
    ])
    await row(
      /gone\.example away It cannot be reached\. Tried again \w+ \d.* 421 4\.3\.2 Service shutting down 3 0 0/,
    ).waitFor()
    await row(/silent\.example away No mail server answers\./).waitFor()
    await row(/outlook paused It refuses all our IP addresses\. Until \w+ \d/).waitFor()
    await row(/gmail slowed It has asked for less mail\..* 4 0 3 .*48\/min/).waitFor()
    await at.button(/^Team$/).click()
    await at.page
      .getByRole('table', { name: /by team/ })
      .getByRole('row')
      .nth(1)
      .waitFor()
    expect(at.page.url()).toContain('by=team')
    await at.button(/^Sender$/).click()
    await row(/acme\.dev paused gmail refuses the DKIM domain acme\.dev/).waitFor()
    await at.button(/^Destination$/).click()
  })

  test('looks at one destination: its pace over time, and the reply behind each change', async () => {
    await at.page.getByRole('link', { name: 'gmail' }).click()
    await at.page.getByRole('heading', { name: /^gmail/ }).waitFor()
    await at.page.getByText('Pace of our mail: 48/min now, throttled at 2.4/s').waitFor()

    const chart = at.page.getByRole('slider', { name: /Messages a minute/ })
    await chart.focus()
    await at.page.keyboard.press('Home')
    expect(await chart.getAttribute('aria-valuetext')).toContain('our mail –')
    await at.page.keyboard.press('End')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/our mail \d/)
    const changes = at.page.getByRole('table', { name: 'Changes' })
    await changes
      .getByRole('row', { name: /Rate reduced \(Throttled\): 421 4\.7\.28/ })
      .first()
      .waitFor()
    expect(await changes.locator('tbody tr').count()).toBe(10)
    await at.button('Show 25 more').click()
    expect(await changes.locator('tbody tr').count()).toBe(35)
    await row(/Connections 5 Provider gmail Built in/).waitFor()
  })

  test('lifts a pause, by keyboard and with a reason', async () => {
    await at.button('Lift').focus()
    await at.page.keyboard.press('Enter')
    await at.dialog().getByText('Lift the pause of the DKIM domain acme.dev at gmail?').waitFor()
    await at.page.keyboard.type('They have answered')
    await at.page.keyboard.press('Tab')
    await at.page.keyboard.press('Enter')

    await at.page.getByText('Pause lifted', { exact: true }).waitFor()
    await row(/The DKIM domain acme\.dev Lifted .* Lifted: They have answered/).waitFor()
    const kept = await db.query(sql`select lifted_reason as reason from delivery_pauses where destination = 'gmail'`)
    expect(kept).toEqual([{ reason: 'They have answered' }])
  })

  test('makes a rule of ceilings, sees it bind, changes and deletes it', async () => {
    await at.button('Add rule').click()
    expect(await at.dialog().getByLabel('Provider').inputValue()).toBe('gmail')
    await at.dialog().getByLabel('Rate').fill('fast')
    await at.dialog().getByLabel('Reason').fill('A new address')
    await at.button('Add rule', at.dialog()).click()
    await at
      .dialog()
      .getByText(/number of messages in a second/)
      .first()
      .waitFor()
    await at.dialog().getByLabel('Rate').fill('600/m')
    await at.button('Add rule', at.dialog()).click()
    await at.page.getByText('Rule added').waitFor()
    await row(/Rate 10\/s Provider gmail This installation/).waitFor()

    await at.button('Actions for Provider gmail').click()
    await at.page.getByRole('menuitem', { name: 'Edit' }).click()
    await at.dialog().getByLabel('Connections').fill('3')
    await at.dialog().getByLabel('Rate').fill('')
    await at.dialog().getByLabel('Reason').fill('Fewer')
    await at.button('Save', at.dialog()).click()
    await row(/Connections 3 Provider gmail This installation/).waitFor()
    await row(/Rate none Everything Built in/).waitFor()

    await at.follow('/delivery')
    await at.button('Actions for Provider gmail').click()
    await at.page.getByRole('menuitem', { name: 'Delete' }).click()
    await at.dialog().getByLabel('Reason').fill('Not needed')
    await at.button('Delete rule', at.dialog()).click()
    await at.page.getByText('No rules yet.').waitFor()
    await at.follow('/audit')
    for (const act of ['Delete a delivery ceiling', 'Change a delivery ceiling', 'Add a delivery ceiling'])
      await row(new RegExp(act)).waitFor()
  })

  test('retries what waits, gives up on one email, and holds mail back', async () => {
    await at.follow('/delivery/mx1.silent.example%20mx2.silent.example')
    const waiting = at.page.getByRole('table', { name: 'Queued mail' })
    await waiting
      .getByRole('row', { name: /user0@silent\.example deferred 451 4\.4\.1 .*No answer from host · rule/ })
      .waitFor()
    await at.button('Actions for user0@silent.example').click()
    await at.page.getByRole('menuitem', { name: 'Give up' }).click()
    await at.dialog().getByText('Give up on mail to user0@silent.example?').waitFor()
    await at.dialog().getByLabel('Reason').fill('The company has closed')
    await at.button('Give up', at.dialog()).click()
    await at.page.getByText('Gave up on 1 recipient.').waitFor()
    await waiting.getByRole('row', { name: /user0@silent/ }).waitFor({ state: 'detached' })
    await at.button('Actions for user1@silent.example').click()
    await at.page.getByRole('menuitem', { name: 'Hold' }).click()
    await at.dialog().getByLabel('Reason').fill('They have asked for a day')
    await at.button('Hold mail', at.dialog()).click()
    await at.page.getByText('Mail on hold', { exact: true }).waitFor()

    await at.follow('/delivery')
    await row(/Email \S+, Team .* They have asked for a day/).waitFor()
    await at.button('Release').click()
    await at.button('Release', at.dialog()).click()
    await at.page.getByText('No mail is on hold.').waitFor()
    await at.follow('/delivery')
    await at.button('Hold mail').click()
    await at.dialog().getByLabel('Recipient domain').fill('busy.example')
    await at.dialog().getByLabel('Reason').fill('They have asked for it')
    await at.button('Hold mail', at.dialog()).click()
    await at.page.getByText('Mail on hold', { exact: true }).waitFor()
    await row(/To busy\.example They have asked for it/).waitFor()
    await at.button('Release').click()
    await at.button('Release', at.dialog()).click()
    await at.page.getByText('No mail is on hold.').waitFor()
  })

  test('sees which route is down and why, takes one out of use and into use again', async () => {
    await at.follow('/delivery')
    await at.page
      .getByRole('alert')
      .getByText(/^Route main refuses the login\. Tried again \w+ \d/)
      .waitFor()
    const routes = at.page.getByRole('table', { name: 'Routes' })
    await routes
      .getByRole('row', { name: /main Down It refuses the login\. .*535 5\.7\.8 .*Relay, 127\.0\.0\.1:1 / })
      .waitFor()
    await routes.getByRole('row', { name: /backup Takes mail/ }).waitFor()
    expect(await at.page.content()).not.toContain('geheim')

    const act = async (name: string, route: string, reason: string) => {
      await at.button(`Actions for ${route}`).click()
      await at.page.getByRole('menuitem', { name }).click()
      await at.dialog().getByLabel('Reason').fill(reason)
      await at.button(name, at.dialog()).click()
    }
    await act('Hold', 'backup', 'Their bill is too high')
    await routes.getByRole('row', { name: /backup Held Their bill is too high/ }).waitFor()
    await act('Release', 'backup', 'They have answered')
    await routes.getByRole('row', { name: /backup Takes mail/ }).waitFor()
    await act('Try now', 'main', 'A new password')
    await routes.getByRole('row', { name: /main Down .*Retried with the next email/ }).waitFor()
  })

  test('moves mail to another route', async () => {
    await at.follow('/delivery/mx.gone.example')
    await row(/All mail Stopped .* 421 4\.3\.2 Service shutting down/).waitFor()
    await at.button('Actions for user2@gone.example').click()
    await at.page.getByRole('menuitem', { name: 'Move to another route' }).click()
    await at.dialog().getByText('Move mail to user2@gone.example to another route?').waitFor()
    await at.dialog().getByLabel('Route').selectOption('backup')
    await at.dialog().getByLabel('Reason').fill('The other one has an outage')
    await at.button('Move mail', at.dialog()).click()
    await at.page.getByText('Moved 1 recipient.').waitFor()
    expect(await db.query(sql`select route from deliveries where recipient = 'user2@gone.example'`)).toEqual([
      { route: 'backup' },
    ])
    await at.button('Lift').click()
    await at.dialog().getByLabel('Reason').fill('They are back')
    await at.button('Lift pause', at.dialog()).click()
    await at.page.getByText('Pause lifted', { exact: true }).waitFor()
    await row(/All mail Probing/).waitFor()
  })

  test('sees the sources and their warm-up, and finishes it at a provider', async () => {
    await at.follow('/delivery')
    const sources = at.page.getByRole('table', { name: 'Sources' })
    await sources
      .getByRole('row', {
        name: /two No process 127\.0\.0\.2 as two\.test outlook refuses it until .* default, weight 1 0 processes/,
      })
      .waitFor()
    await sources.getByRole('row', { name: /three No process 127\.0\.0\.3 as three\.test/ }).waitFor()
    const warmUps = at.page.getByRole('table', { name: 'Warm-up' })
    await warmUps.getByRole('row', { name: /two at gmail Day 5 120 of 192 sent, 3 deferred/ }).waitFor()
    await warmUps.getByRole('row', { name: /two at outlook Blocked 10 of 70 sent/ }).waitFor()
    await warmUps.getByRole('row', { name: /acme\.dev at yahoo Day 1 0 of 50 sent/ }).waitFor()

    const act = async (name: string, of: string) => {
      await at.button(`Actions for ${of}`).click()
      await at.page.getByRole('menuitem', { name }).click()
      await at.dialog().getByLabel('Reason').fill('It has been in use for years')
      await at.button(/ warm-up$/, at.dialog()).click()
    }
    await act('Finish', 'two at gmail')
    await warmUps.getByRole('row', { name: /two at gmail Finished No limit/ }).waitFor()
    await act('Restart', 'two at gmail')
    await warmUps.getByRole('row', { name: /two at gmail Day 1 \d+ of 50 sent/ }).waitFor()
  })

  test('serves a policy for a domain that receives: tested first, then enforced', async () => {
    const { id } = await at.post('/domains', { name: 'receives.example' })
    await at.follow(`/domains/${id}`)
    await at.button('Enable receiving').click()
    const policy = at.page.getByLabel('MTA-STS policy')
    await policy.selectOption('Testing')
    expect(await policy.locator('option').allTextContents()).toEqual(['Off', 'Testing'])
    await at.button('Save policy').click()
    await at.page
      .getByRole('row', { name: /MTA-STS/ })
      .first()
      .waitFor()
    await policy.selectOption('Enforce')
    await at.button('Save policy').click()
    await expect.poll(async () => (await at.service.call('GET', `/domains/${id}`)).body.mta_sts).toBe('enforce')
  })

  test('finds nothing in the way: light, dark, and on a telephone', async () => {
    const faults: string[] = []
    for (const path of ['/delivery', '/delivery/gmail', '/delivery/mx.gone.example'])
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [1280, 390]) {
          await at.page.emulateMedia({ colorScheme })
          await at.page.setViewportSize({ width, height: 900 })
          await at.follow(path)
          await at.page.locator('main h1').waitFor()
          await at.page.locator('.loading').first().waitFor({ state: 'detached' })
          faults.push(...(await seriousFaults(at.page)).map((fault) => `${path} ${width} ${colorScheme}: ${fault}`))
          if (Number(await at.page.evaluate('document.documentElement.scrollWidth')) > width)
            faults.push(`${path}: wider than ${width}`)
        }

    expect(faults).toEqual([])
    expect(at.errors).toEqual([])
  })
})
