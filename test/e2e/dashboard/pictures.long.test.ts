import { beforeAll, describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { openBrowser } from '../../harness/chromium.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { makeGuardedMail } from '../../harness/guarded-mail.ts'
import { makeOneOfEach } from '../../harness/one-of-each.ts'
import { differenceOf } from '../../harness/pictures.ts'

const WIDTHS = [1440, 1024, 390]
const SCHEMES = ['light', 'dark'] as const

/** A quarter of the size: what matters is where things are and which colour they have. */
const SCALE = 0.25

/** Times, ids and addresses differ from run to run. */
const HIDDEN =
  'time, code, .code, .copy, .chart svg, iframe, .toast { visibility: hidden !important } * { caret-color: transparent !important }'

const LISTS = [
  ...[
    'emails',
    'received',
    'messages',
    'inboxes',
    'broadcasts',
    'automations',
    'automation-runs',
    'events',
    'templates',
  ],
  ...['metrics', 'contacts', 'segments', 'topics', 'properties', 'imports', 'suppressions', 'domains', 'webhooks'],
  ...['sandboxes', 'api-keys', 'logs', 'settings', 'people', 'connected-apps', 'audit', 'account'],
]

/** Pages of one thing, and the list of the API that has one. */
const ONES = [
  ...[['emails'], ['emails/receiving', 'received'], ['broadcasts'], ['automations'], ['automation-runs']],
  ...[['templates'], ['contacts'], ['segments'], ['domains'], ['webhooks']],
]

describe.runIf(CHROMIUM)('pictures of the dashboard', () => {
  const at = startDashboard()

  beforeAll(() => makeOneOfEach(at))

  test('every page looks as it did, wide and narrow, light and dark', async () => {
    expect(await faultsOf(await pagesOf())).toEqual([])
  }, 600_000)

  // Made after the others were looked at: what waits is counted on every page.
  test('so do those of keys that are guarded, and of what waits for approval', async () => {
    const { key, approval } = await makeGuardedMail(at)

    const faults = await faultsOf([
      { name: 'approvals', path: 'approvals' },
      { name: 'approvals-one', path: `approvals/${approval}` },
      { name: 'api-keys-one', path: `api-keys/${key}` },
      { name: 'api-keys-one-policy', path: `api-keys/${key}`, press: 'Edit policy' },
    ])

    expect(faults).toEqual([])
  }, 600_000)

  /** What is wrong with pages, or different from the pictures that are kept. */
  async function faultsOf(pages: readonly { name: string; path: string; press?: string }[]) {
    const { page } = await openBrowser({ deviceScaleFactor: SCALE })
    await page.context().addCookies(await at.page.context().cookies())
    const faults: string[] = []
    for (const { name, path, press } of pages) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: WIDTHS[0]!, height: 900 })
      await page.goto(`${at.service.url}/dashboard/${path}`)
      await page.locator('main h1').first().waitFor()
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      await page.evaluate('document.fonts.ready')
      if (press) await page.getByRole('button', { name: press }).click()
      faults.push(...(await seriousFaults(page)).map((fault) => `${name}: ${fault}`))
      await page.addStyleTag({ content: HIDDEN })
      for (const colorScheme of SCHEMES)
        for (const width of WIDTHS) {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: 900 })
          const difference = differenceOf(`${name}-${width}-${colorScheme}`, await page.screenshot())
          if (difference !== null) faults.push(difference)
          if (Number(await page.evaluate('document.documentElement.scrollWidth')) > width)
            faults.push(`${name}: wider than ${width}`)
        }
    }
    return faults
  }

  async function pagesOf() {
    const ones = ONES.map(async ([list, folder = list]) => {
      const { data } = (await at.service.call('GET', `/${list}?limit=1`)).body
      return { name: `${folder}-one`, path: `${folder}/${data[0].id}` }
    })
    return [...LISTS.map((path) => ({ name: path, path })), ...(await Promise.all(ones))]
  }
})
