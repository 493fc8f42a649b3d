import { describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { openBrowser } from '../../harness/chromium.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

describe.runIf(CHROMIUM)('pages without a key', () => {
  const at = startDashboard()

  /** Usable by everybody, at a desk and on a telephone, by day and night. */
  async function look() {
    for (const size of SIZES)
      for (const colorScheme of ['light', 'dark'] as const) {
        await at.page.setViewportSize(size)
        await at.page.emulateMedia({ colorScheme })
        expect(await seriousFaults(at.page)).toEqual([])
        expect(await at.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
    await at.page.emulateMedia({ colorScheme: 'light' })
  }

  test('unsubscribing: who has sent it, one button for each choice, none touching another', async () => {
    const topic = await at.post('/topics', { name: 'News', default_subscription: 'opt_in', visibility: 'public' })
    await at.post('/topics', {
      ...{ name: 'Offers', default_subscription: 'opt_in', visibility: 'public' },
      description: 'Once a month, what costs less.',
    })
    const { id } = await at.post('/emails', {
      ...{ from: 'Acme <news@example.com>', to: 'ada@example.com', subject: 'News', topic_id: topic.id },
      html: '<p>Hi</p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Unsubscribe</a>',
    })
    const message = (await at.service.call('GET', `/messages/${id}`)).body
    const url = new URL(message.unsubscribe.url)
    await at.page.goto(`${at.service.url}${url.pathname}`)
    await at.page.getByRole('heading', { name: 'Unsubscribe', exact: true }).waitFor()
    await at.page.getByText('The email was sent by Acme <news@example.com>.').waitFor()
    await look()
    const boxes = await Promise.all((await at.page.getByRole('button').all()).map((one) => one.boundingBox()))
    for (const [index, box] of boxes.entries())
      for (const other of boxes.slice(index + 1))
        expect(box!.y + box!.height + 8 <= other!.y || box!.x + box!.width + 8 <= other!.x).toBe(true)

    await at.button('Unsubscribe: News').click()
    await at.page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
    await look()
  })

  test('a shared email, and a link to one that is over', async () => {
    const email = { from: 'Acme <news@example.com>', to: 'ada@example.com', subject: 'Look', html: '<p>Hello Ada</p>' }
    const { id } = await at.post('/emails', email)
    const { url } = (await at.service.call('POST', `/emails/${id}/share`, {})).body
    await at.page.goto(`${at.service.url}/shared${new URL(url).search}`)
    await at.page.frameLocator('iframe').getByText('Hello Ada').waitFor()
    await at.page.getByText('Acme <news@example.com>').waitFor()
    await look()

    await at.page.goto(`${at.service.url}/shared?token=wrong`)
    await at.page.getByText('This link is not valid, or it has expired.').waitFor()
    await look()
  })

  test('the API reference asks for nothing that is not there', async () => {
    const { page } = await openBrowser()
    const missing: string[] = []
    page.on('response', (response) => void (response.status() >= 400 && missing.push(response.url())))
    await page.goto(`${at.service.url}/docs`)
    await page.locator('#reference h1').first().waitFor()

    expect(missing).toEqual([])
  })

  test('a printed link that was used before is explained on the sign-in page', async () => {
    const { page } = await openBrowser()
    await page.goto(at.link)

    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    await page.getByRole('status').getByText('This sign-in link was already used or has expired.').waitFor()
    expect(await seriousFaults(page)).toEqual([])
  })
})
