import { createTransport } from 'nodemailer'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/db/sql.ts'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { databaseOf } from '../../harness/service-database.ts'

const DESK = 'desk@example.com'

describe.runIf(CHROMIUM)('parts of pages:', () => {
  const at = startDashboard()
  const slider = (title: string, page: Page = at.page) =>
    page.getByRole('slider', { name: `${title}: point in time`, exact: true })
  const point = () => slider('Volume').getAttribute('aria-valuenow')
  const legend = () => at.page.locator('.chart', { hasText: 'Volume' }).locator('figcaption li').allTextContents()

  test('a chart is read by keyboard and mouse, with the period before beside it', async () => {
    const db = await databaseOf(at.service)
    // Eight days ago: the last but one day of the week before.
    await db.query(sql`
      insert into metric_counts (team_id, quarter, domain_id, broadcast_id, received, delivered, complained, suppressed, bounced,
        bounced_transient, bounced_permanent, bounced_undetermined, opened, clicked, unsubscribed, delivery_delayed, failed, sent, unique_opened, unique_clicked)
      select id, date_trunc('day', now(), 'UTC') - interval '8 days' + interval '12 hours', z, z, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0
      from teams, (values ('00000000-0000-0000-0000-000000000000'::uuid)) zeros (z) where not is_system`)
    for (const to of ['a@example.com', 'b@example.com', 'c@example.com'])
      await at.post('/emails', { from: 'shop@example.com', to, subject: 'Order', text: 'Thanks' })
    await at.follow('/metrics')
    await expect.poll(() => slider('Volume').getAttribute('aria-valuetext')).toMatch(/: Sent 3, Delivered 3,/)

    await slider('Volume').focus()
    await at.page.keyboard.press('Home')
    expect(await point()).toBe('0')
    await at.page.keyboard.press('ArrowLeft')
    expect(await point()).toBe('0')
    await at.page.keyboard.press('End')
    await at.page.keyboard.press('ArrowLeft')
    expect(await point()).toBe('5')
    expect((await legend())[0]).toBe('Sent 0(previous period 5)')
    await at.page.keyboard.press('Escape')
    expect(await point()).toBe('6')

    const box = (await slider('Volume').boundingBox())!
    await at.page.mouse.move(box.x + 44, box.y + 80)
    await expect.poll(point).toBe('0')
    await at.page.mouse.move(box.x + 44, box.y - 200)
    await expect.poll(point).toBe('6')
    // The same question every time: not one for each moment.
    const asked = at.answers.filter((url) => url.includes('/emails/metrics?'))
    expect(new Set(asked).size).toBeLessThanOrEqual(3)
  })

  test('a chart is a table for those who do not see lines', async () => {
    const table = at.page.getByRole('table', { name: 'Volume' })
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      ...['Time', 'Sent', 'Sent, previous period', 'Delivered', 'Bounced', 'Delayed'],
    ])
    expect(await table.getByRole('row').last().getByRole('cell').first().textContent()).toBe('3')
    expect(await seriousFaults(at.page)).toEqual([])
  })

  test("a chart fits a telephone, at night, by finger, in the reader's language", async () => {
    const storageState = await at.page.context().storageState()
    const context = await at.page
      .context()
      .browser()!
      .newContext({
        ...{
          storageState,
          locale: 'de-DE',
          colorScheme: 'dark',
          viewport: { width: 390, height: 844 },
          hasTouch: true,
        },
        reducedMotion: 'reduce',
      })
    const page = await context.newPage()
    await page.goto(`${at.service.url}/dashboard/metrics`)
    const rates = slider('Delivery and bounces', page)
    await expect.poll(() => rates.getAttribute('aria-valuetext')).toMatch(/^\d+\. .*Delivered 100\s%/)

    await rates.tap({ position: { x: 46, y: 80 } })
    await expect.poll(() => rates.getAttribute('aria-valuenow')).toBe('0')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    const stroke = `getComputedStyle(document.querySelector('.chart .line path')).stroke`
    expect(await page.evaluate(stroke)).not.toBe(await at.page.evaluate(stroke))
    expect(await seriousFaults(page)).toEqual([])
    await context.close()
  })

  test('suggested recipients are chosen by keyboard, and announced', async () => {
    await at.post('/domains', { name: 'example.com' })
    const { id } = await at.post('/inboxes', { email_address: DESK, name: 'Desk' })
    await createTransport({ host: '127.0.0.1', port: at.service.smtpPort, ignoreTLS: true }).sendMail({
      ...{ from: 'Ada Lovelace <ada@elsewhere.example>', to: DESK, cc: 'Charles <charles@elsewhere.example>' },
      ...{ subject: 'The engine', text: 'Where is it?' },
    })
    await at.follow(`/inboxes/${id}`)
    await at.page.getByText('The engine').first().waitFor()
    await at.page.keyboard.press('c')
    const field = at.page.getByRole('combobox', { name: 'To' })
    const list = at.page.getByRole('listbox', { name: 'Suggestions for To' })
    const isExpanded = () => field.getAttribute('aria-expanded')
    /** Which option assistive technology is led to. */
    const active = async () => {
      const option = at.page.locator(`[id="${await field.getAttribute('aria-activedescendant')}"]`)
      expect(await option.getAttribute('aria-selected')).toBe('true')
      return list
        .getByRole('option')
        .allTextContents()
        .then(async (all) => all.indexOf((await option.textContent())!))
    }

    await field.pressSequentially('elsewhere')
    await expect.poll(() => list.getByRole('option').count()).toBe(2)
    await at.page.getByRole('status').getByText('2 suggestions').waitFor({ state: 'attached' })
    expect(await active()).toBe(0)
    await field.press('ArrowDown')
    expect(await active()).toBe(1)
    await field.press('ArrowDown')
    expect(await active()).toBe(0)
    await field.press('ArrowUp')
    expect(await active()).toBe(1)
    expect(await seriousFaults(at.page)).toEqual([])

    await field.press('Escape')
    expect([await isExpanded(), await field.inputValue()]).toEqual(['false', 'elsewhere'])
    expect(await field.getAttribute('aria-activedescendant')).toBeNull()
    await field.press('ArrowUp')
    expect([await isExpanded(), await active()]).toEqual(['true', 1])
    await field.press('Alt+ArrowUp')
    expect(await isExpanded()).toBe('false')
    // In a field with text, these move in the text.
    await field.press('Home')
    await field.press('x')
    await field.press('End')
    await field.press('y')
    expect(await field.inputValue()).toBe('xelsewherey')
    await field.press('Escape')
    expect(await field.inputValue()).toBe('')

    // Also a whole address, if an option was chosen.
    await field.pressSequentially('ada@elsewhere.example')
    await list.getByRole('option').first().waitFor()
    await field.press('ArrowDown')
    await field.press('Enter')
    await at.page.getByRole('list', { name: 'To' }).getByText('Ada Lovelace', { exact: true }).waitFor()
    expect(await field.inputValue()).toBe('')
  })

  test('nothing was thrown in the page all the while', () => {
    expect(at.errors).toEqual([])
  })
})
