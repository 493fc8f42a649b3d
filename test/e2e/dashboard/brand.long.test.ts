import { describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { PICTURE, startDashboard } from '../../harness/dashboard.ts'

describe.runIf(CHROMIUM)('the brand of a team', () => {
  const at = startDashboard()

  test('is set in the settings, and is what recipients see', async () => {
    await at.follow('/settings')
    const file = at.page.getByLabel('Logo', { exact: true })
    await file.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(512 * 1024 + 1) })
    await at.page.getByText('The file is larger than 512 KB.').waitFor()
    await file.setInputFiles({ name: 'logo.svg', mimeType: 'image/png', buffer: Buffer.from('<svg></svg>') })
    await at.page.getByText('The file is not a PNG, JPEG, GIF or WebP image.').waitFor()
    await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: PICTURE })
    await at.page.getByText('Logo saved').waitFor()
    await isLoaded('img[alt="Current logo"]')
    await at.page.getByLabel('Accent color', { exact: true }).fill('#ffdd00')
    await at.button('Apply color').click()
    await at.page.getByText('Color saved').waitFor()
    expect(await at.page.getByLabel('Pick the accent color').inputValue()).toBe('#ffdd00')
    expect(await seriousFaults(at.page)).toEqual([])

    const { id } = await at.post('/emails', {
      ...{ from: 'a@example.com', to: 'b@example.com', subject: 'Hi' },
      html: '<p style="color: #800000">Hi</p><img src="/images/other.png">',
    })
    const { url } = (await at.post(`/emails/${id}/share`, {})) as unknown as { url: string }
    const refused: string[] = []
    at.page.on('console', (message) => message.type() === 'error' && refused.push(message.text()))
    await at.page.goto(url)
    await isLoaded('header img')
    const band = `getComputedStyle(document.querySelector('main')).borderTopColor`
    expect(await at.page.evaluate(band)).toBe('rgb(255, 221, 0)')
    expect(await seriousFaults(at.page)).toEqual([])
    // The mail in the page fetches nothing.
    expect(refused.filter((text) => !text.includes('/images/other.png'))).toEqual([])
    expect(at.answers.filter((address) => address.includes('other.png'))).toEqual([])

    await at.open('/settings')
    await at.button('Remove logo').click()
    await at.page.getByText('Logo removed').waitFor()
    await at.page.locator('img[alt="Current logo"]').waitFor({ state: 'detached' })
  })

  /** It is shown, and what is shown is a picture. */
  async function isLoaded(selector: string) {
    await at.page.locator(selector).waitFor()
    await expect.poll(() => at.page.evaluate(`document.querySelector('${selector}').naturalWidth`)).toBe(1)
  }
})

describe.runIf(CHROMIUM)('an invitation on a laptop', () => {
  const at = startDashboard()

  test('is in all mail, and is neither the first email of the team nor a sender to propose', async () => {
    await at.follow('/people')
    await at.button('Invite member').click()
    await at.dialog().getByLabel('Email').fill('grace@example.com')
    await at.button('Create invitation').click()
    await at.button('Copy invite link').first().waitFor()
    await at.page.keyboard.press('Escape')

    await at.follow('/messages')
    await at.page
      .getByText(/invited you to/)
      .first()
      .waitFor()
    await at.open('/emails')
    await at.page.getByRole('region', { name: 'Get started' }).getByText('0 of 3 done').waitFor()
    await at.open('/emails?new=1')
    expect(await at.dialog().getByLabel('From').inputValue()).toBe('Postwren <hello@example.com>')
  })
})
