import { beforeAll, describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { makeGuardedMail } from '../../harness/guarded-mail.ts'
import { makeOneOfEach } from '../../harness/one-of-each.ts'

describe.runIf(CHROMIUM)('the dashboard is for everybody', () => {
  const at = startDashboard()

  let guarded: Awaited<ReturnType<typeof makeGuardedMail>>

  beforeAll(async () => {
    await makeOneOfEach(at)
    guarded = await makeGuardedMail(at)
  })

  const first = async (list: string, path = list) =>
    `${path}/${(await at.service.call('GET', `${list}?limit=1`)).body.data[0].id}`

  const faultsOn = async (paths: readonly string[]) => {
    const faults: string[] = []
    for (const path of paths) {
      await at.follow(path)
      await at.page.locator('main h1').waitFor()
      await at.page.locator('.loading').first().waitFor({ state: 'detached' })
      faults.push(...(await seriousFaults(at.page)).map((fault) => `${path}: ${fault}`))
    }
    return faults
  }

  test('nothing serious stands in anybody’s way, on any kind of page', async () => {
    // Lists are all made of the same parts, and so are small forms: one of each kind of page.
    const broadcasts = (await at.service.call('GET', '/broadcasts')).body.data as { id: string }[]
    const pages = await Promise.all([
      ...['/emails', '/domains', '/templates', '/webhooks', '/contacts', '/automations', '/automation-runs'].map(
        (path) => first(path),
      ),
      first('/emails/receiving', '/received'),
    ])

    const faults = await faultsOn([
      ...[
        '/emails',
        '/imports',
        '/account',
        '/api-keys',
        '/audit',
        '/metrics',
        '/people',
        '/automations',
        '/events',
        `${await first('/automations')}?view=table`,
      ],
      ...pages,
      ...['/approvals', `/approvals/${guarded.approval}`, `/api-keys/${guarded.key}`],
      ...broadcasts.map(({ id }) => `/broadcasts/${id}`),
    ])

    expect(faults).toEqual([])
  })

  test('nor in the dark', async () => {
    await at.follow('/emails')
    await at.button('Dark theme').click()

    const faults = await faultsOn([
      ...['/emails', await first('/emails'), '/metrics', '/people', '/settings', '/audit'],
      ...[await first('/automations'), await first('/automation-runs')],
      ...['/approvals', `/approvals/${guarded.approval}`, `/api-keys/${guarded.key}`],
    ])

    expect(await at.page.evaluate('getComputedStyle(document.body).colorScheme')).toBe('dark')
    expect(faults).toEqual([])
    await at.button('Light theme').click()
  })

  test('a missing page, a missing email and a service that is gone are said in words', async () => {
    await at.open('/no/such/page')
    await at.page.getByText('Page not found').waitFor()
    await at.follow('/emails/01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f')
    await at.page.getByText('Email not found').waitFor()
    await at.page.route('**/topics?*', (route) => route.abort())
    await at.follow('/topics')
    await at.page.getByText('Postwren could not be reached').waitFor()
    await at.page.unroute('**/topics?*')
    await at.button('Try again').click()
    await at.page.getByRole('row', { name: /News/ }).waitFor()
  })

  test('on a telephone the menu is behind a button, and no page is wider than the screen', async () => {
    await at.page.setViewportSize({ width: 390, height: 800 })
    await at.follow('/emails')
    await at.button('Menu').click()
    await at.page.getByRole('link', { name: 'Audience' }).click()
    await at.page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()

    const wide: string[] = []
    const ones = await Promise.all(
      ['/emails', '/domains', '/automations', '/automation-runs'].map((path) => first(path)),
    )
    for (const path of ['/contacts', ...ones, '/webhooks', '/metrics', '/automation-runs', '/events', '/audit']) {
      await at.follow(path)
      await at.page.locator('main h1').waitFor()
      await at.page.locator('.loading').first().waitFor({ state: 'detached' })
      if (Number(await at.page.evaluate('document.documentElement.scrollWidth')) > 390) wide.push(path)
    }
    expect(wide).toEqual([])
  })
})
