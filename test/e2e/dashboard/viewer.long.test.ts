import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { eventually } from '../../harness/service.ts'

/** A column for the desk, another one for telephones, colours for the dark, and higher than a screen. */
const MAIL = `<html><head><style>
  #desk { display: none }
  @media (min-width: 600px) { #desk { display: block } #telephone { display: none } }
  @media (prefers-color-scheme: dark) { body { background: rgb(1, 2, 3) } }
</style></head><body style="margin:0">
<p id="desk">For the desk</p><p id="telephone">For telephones</p>
<p>Your code is 482913. <a href="https://example.com/confirm?token=abc">Confirm</a></p>
<div style="height:1500px"></div><p id="end">The end</p></body></html>`

describe.runIf(CHROMIUM)('the message viewer', () => {
  const at = startDashboard()
  const mail = () => at.page.frameLocator('.frame:not(:has(.frame-full)) iframe[title]')
  const tab = (name: string | RegExp) => at.page.getByRole('tab', { name })
  const openTab = () => at.page.locator('[role=tab][data-state=active]').first().textContent()
  const scheme = (name: string) => at.button(name, at.page.getByRole('group', { name: 'Color scheme' }))
  const ids: string[] = []

  beforeAll(async () => {
    for (const subject of ['First', 'Second', 'Third'])
      ids.push((await at.post('/emails', { from: 'a@example.com', to: 'list@example.com', subject, html: MAIL })).id)
    await at.post('/emails', { from: 'a@example.com', to: 'other@example.com', subject: 'Not in the list', text: 'Hi' })
    await createTransport({ host: '127.0.0.1', port: at.service.smtpPort, ignoreTLS: true }).sendMail({
      ...{ from: 'ada@elsewhere.example', to: 'desk@inbox.example', subject: 'A question' },
      html: MAIL,
    })
    await at.service.stored(
      async () => (await at.service.call('GET', '/messages?direction=received')).body.data.length > 0,
    )
  })

  test('lays a mail out as on a desk in a narrow window, scaled to the room, without scroll bars of its own', async () => {
    await at.page.setViewportSize({ width: 1024, height: 768 })
    await at.open(`/emails/${ids[1]}`)
    await mail().getByText('For the desk').waitFor()
    const stage = at.page.locator('.frame-stage').first()
    // Until its height is known it has the first one.
    await eventually(async () => (await stage.boundingBox())!.height > 700)

    const inside = (await mail()
      .locator('html')
      .evaluate('[innerWidth, innerHeight, document.documentElement.scrollHeight]')) as [number, number, number]
    expect(inside[0]).toBe(720)
    expect(inside[1]).toBeGreaterThanOrEqual(inside[2])
    await at.page.getByText(/^Desktop · 720 px/).waitFor()
    expect(await at.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)

    await at.button('Mobile').click()
    await mail().getByText('For telephones').waitFor()
    await at.page.getByText(/^Mobile · 390 px/).waitFor()
    await at.page.setViewportSize({ width: 390, height: 844 })
    await eventually(async () => (await stage.boundingBox())!.width < 390)
    expect(await mail().locator('html').evaluate('innerWidth')).toBe(390)
    expect(await at.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await at.page.setViewportSize({ width: 1440, height: 900 })
  })

  test('in the dark by its own styles, whatever the reader prefers; and one without them is said to have none', async () => {
    const ground = () => mail().locator('body').evaluate('getComputedStyle(document.body).backgroundColor')
    await at.page.emulateMedia({ colorScheme: 'dark' })
    expect(await ground()).toBe('rgba(0, 0, 0, 0)')

    await scheme('Dark').click()
    await eventually(async () => (await ground()) === 'rgb(1, 2, 3)')
    await at.page.emulateMedia({ colorScheme: 'light' })
    expect(await ground()).toBe('rgb(1, 2, 3)')

    const plain = { from: 'a@example.com', to: 'plain@example.com', subject: 'Plain', html: '<p>Hi</p>' }
    await at.follow(`/emails/${(await at.post('/emails', plain)).id}`)
    await at.page.getByText('This email has no dark styles.').waitFor()
    await scheme('Light').click()
    await at.button('Desktop').click()
    await at.page.getByText('This email has no dark styles.').waitFor({ state: 'detached' })
  })

  test('on the whole screen, and back to the button', async () => {
    await at.follow(`/emails/${ids[1]}`)
    await mail().getByText('For the desk').waitFor()
    await at.button('Full screen').click()
    const full = at.page.getByRole('dialog')
    await full.frameLocator('iframe').getByText('For the desk').waitFor()
    expect(await full.boundingBox()).toEqual({ x: 0, y: 0, width: 1440, height: 900 })
    expect(await seriousFaults(at.page)).toEqual([])

    await at.page.keyboard.press('Escape')
    await full.waitFor({ state: 'detached' })
    expect(await at.page.evaluate('document.activeElement.ariaLabel')).toBe('Full screen')
  })

  test('the same tabs for sent and received mail and in the list of all, and the address has the open one', async () => {
    const names = async () => (await at.page.locator('.message-viewer [role=tab]').allTextContents()).map(withoutCount)
    const received = (await at.service.call('GET', '/messages?direction=received')).body.data[0].id
    const common = ['Preview', 'Text', 'HTML', 'Links', 'Attachments', 'Headers', 'Source', 'Checks']
    for (const [path, tabs] of [
      [`/emails/${ids[1]}`, [...common, 'Timeline', 'Trace']],
      [`/received/${received}`, common],
      [`/messages?message=${ids[1]}`, [...common, 'Timeline', 'Trace']],
      [`/messages?message=${received}`, common],
    ] as const) {
      await at.follow(path)
      await tab(/^Links/).click()
      await at.page.getByRole('link', { name: 'https://example.com/confirm?token=abc' }).waitFor()
      expect(await names()).toEqual(tabs)
      await at.page.getByLabel('Codes').getByText('482913').waitFor()
      expect(at.page.url()).toContain('tab=links')
    }
    await at.page.reload()
    await at.page.getByLabel('Codes').getByText('482913').waitFor()
    expect(withoutCount((await openTab())!)).toBe('Links')
    expect(await seriousFaults(at.page)).toEqual([])
  })

  test('to the one before and after it in the list that it was opened from, in the same tab, and back to that list', async () => {
    await at.follow('/emails?to=list@example.com')
    await at.page.getByRole('link', { name: 'list@example.com' }).nth(1).click()
    await at.page.getByRole('heading', { name: /^Second/ }).waitFor()
    await tab('Text').click()
    await at.button('Next email').click()
    await at.page.getByRole('heading', { name: /^First/ }).waitFor()
    await at.page.waitForFunction(`document.querySelector('[aria-label="Next email"]')?.disabled`)
    expect(await openTab()).toBe('Text')
    await at.page.locator('main').focus()
    for (const subject of [/^Second/, /^Third/]) {
      await at.page.waitForFunction(`!document.querySelector('[aria-label="Previous email"]')?.disabled`)
      await at.page.keyboard.press('k')
      await at.page.getByRole('heading', { name: subject }).waitFor()
    }
    // What is newer is not in the list.
    await at.page.waitForFunction(`document.querySelector('[aria-label="Previous email"]')?.disabled`)

    await at.page.goBack()
    await at.page.getByRole('row', { name: /Second/ }).waitFor()
    expect(at.page.url()).toContain('to=list')
  })

  test('in the list of all mail too, also where a page of it ends', async () => {
    await at.post(
      '/emails/batch',
      Array.from({ length: 60 }, (_, n) => ({
        ...{ from: 'a@example.com', to: 'many@example.com', subject: `Number ${n}`, text: 'Hi' },
      })),
    )
    await at.follow('/messages?to=many@example.com')
    await at.page.getByRole('link', { name: /Number 10 / }).click()
    await at.page.getByRole('heading', { name: 'Number 10', exact: true }).waitFor()
    await at.button('Next email').click()
    await at.page.getByRole('heading', { name: 'Number 9', exact: true }).waitFor()
    await at.page.getByRole('link', { name: /Number 0 / }).waitFor()
    await at.button('Previous email').click()
    await at.page.getByRole('heading', { name: 'Number 10', exact: true }).waitFor()
  })

  test('nothing was thrown in the page all the while', () => {
    expect(at.errors).toEqual([])
  })
})

const withoutCount = (name: string) => name.replace(/\d+$/, '')
