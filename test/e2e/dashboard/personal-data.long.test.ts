import { describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'

describe.runIf(CHROMIUM)('what a team keeps, in its settings', () => {
  const at = startDashboard({ settings: () => ({ POSTWREN_RETENTION_LOGS: '30d' }) })

  test('is kept for as long as its owners say, up to what the installation keeps', async () => {
    await at.follow('/settings')
    const logs = at.page.getByLabel('API logs', { exact: true })
    await logs.fill('60d')
    await at.button('Save retention').click()
    await at.page.getByText('The logs can be at most “30d”.').first().waitFor()
    await logs.fill('7d')
    await at.page.getByLabel('Attachments', { exact: true }).fill('90d')
    await at.button('Save retention').click()
    await at.page.getByText('Saved', { exact: true }).waitFor()

    await at.open('/settings')

    await at.page.getByLabel('API logs', { exact: true }).waitFor()
    expect(await at.page.getByLabel('API logs', { exact: true }).inputValue()).toBe('7d')
    expect(await at.page.getByLabel('Attachments', { exact: true }).inputValue()).toBe('90d')
    expect(await seriousFaults(at.page)).toEqual([])
  })

  test('about a person is erased after owners have confirmed it, and a report finds nothing then', async () => {
    await at.post('/contacts', { email: 'ada@example.com' })
    await at.follow('/settings')
    const ask = async (action: string) => {
      await at.page.getByLabel('Email address', { exact: true }).fill('ada@example.com')
      await at.page.getByLabel('Action', { exact: true }).selectOption(action)
      await at.button('Start').click()
    }

    await ask('erase')
    await at.dialog().getByText('Erase ada@example.com?').waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
    await at.button('Cancel', at.dialog()).click()
    await at.dialog().waitFor({ state: 'detached' })
    expect((await at.service.call('GET', '/contacts/ada@example.com')).status).toBe(200)
    await ask('erase')
    await at.button('Erase person', at.dialog()).click()
    await at.page.getByRole('status').getByText('contacts').waitFor()

    await ask('report')
    await at.page.getByText('Nothing is kept about this address.').waitFor()
    // The request is in the logs from here on.
    expect((await at.service.call('GET', '/contacts/ada@example.com')).status).toBe(404)
  })
})
