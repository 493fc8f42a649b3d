import { describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'

describe.runIf(CHROMIUM)('in the dashboard, teams', () => {
  const at = startDashboard()
  const menuItem = (name: string | RegExp) => at.page.getByRole('menuitem', { name })
  const row = (name: RegExp) => at.page.getByRole('row', { name })
  const switcher = () => at.page.getByRole('button', { name: /switch team$/ })

  test('have people, who invite others by mail and by link', async () => {
    await at.follow('/people')
    await row(/owner@localhost \(you\) owner/).waitFor()
    await at.button('Invite member').click()
    await at.dialog().getByLabel('Email').fill('grace@example.com')
    await at.dialog().getByLabel('Role').selectOption('viewer')
    await at.button('Create invitation').click()
    await at.button('Copy invite link').first().waitFor()
    await at.page.keyboard.press('Escape')

    await row(/^grace@example.com viewer owner@localhost/).waitFor()
    await at.button('Actions for the invitation of grace@example.com').click()
    await menuItem('Resend').click()
    await at.page.getByText('Invitation resent with a new link').waitFor()
  })

  test('are joined by whom the mail went to, and by nobody else who opens the link', async () => {
    const links = () => [...at.service.stderr.matchAll(/\/dashboard#invitation=[\w-]+/g)].map(([link]) => link)
    await expect.poll(() => links().length).toBe(2)
    await at.page.goto(`${at.service.url}${links()[0]}`)
    await at.dialog().getByText('This invitation was used, revoked or has expired.').waitFor()

    await at.page.goto(`${at.service.url}${links()[1]}`)
    await at.dialog().getByText('The invitation is for grace@example.com').waitFor()
    expect(at.page.url()).not.toContain('invitation')
    await at.page.keyboard.press('Escape')
    await at.dialog().waitFor({ state: 'detached' })
  })

  test('let nobody be invited once the invitation is withdrawn', async () => {
    await at.follow('/people')
    await at.button('Actions for the invitation of grace@example.com').click()
    await menuItem('Withdraw').click()
    await at.button('Withdraw invitation', at.dialog()).click()

    await row(/grace/).waitFor({ state: 'detached' })
  })

  test('are made and switched, and each page keeps its own', async () => {
    await at.post('/topics', { name: 'Of the first team' })
    const first = await switcher().locator('span').first().textContent()
    await switcher().click()
    await menuItem('New team…').click()
    await at.dialog().getByLabel('Name').fill('Globex')
    await at.button('Create team').click()
    await at.page.getByRole('button', { name: /^Globex/ }).waitFor()
    await at.follow('/topics')
    await at.page.getByText('No topics yet').waitFor()

    const other = await at.page.context().newPage()
    await other.goto(`${at.service.url}/dashboard/topics`)
    await other.getByRole('button', { name: /^Globex/ }).click()
    await other.getByRole('menuitem', { name: first! }).click()
    await other.getByRole('button', { name: new RegExp(`^${first}`) }).waitFor()
    await other.goto(`${at.service.url}/dashboard/topics`)
    await other.getByRole('row', { name: /Of the first team/ }).waitFor()
    await other.close()

    await at.page.reload()
    await at.page.getByRole('button', { name: /^Globex/ }).waitFor()
  })

  test('get another name', async () => {
    await at.follow('/settings')
    await at.page.getByLabel('Name', { exact: true }).fill('Initech')
    await at.page.getByLabel('Hide message content from viewers').check()
    await at.page.getByRole('button', { name: 'Save', exact: true }).click()

    await at.page.getByRole('button', { name: /^Initech/ }).waitFor()
    await at.page.reload()
    await expect.poll(() => at.page.getByLabel('Hide message content from viewers').isChecked()).toBe(true)
  })

  test('are deleted after a week in which they can be had back', async () => {
    await at.button('Delete team').click()
    await at.button('Delete team', at.dialog()).click()
    await at.page.getByText(/This team will be deleted with everything in it/).waitFor()

    await at.button('Restore team').click()
    await at.page.getByText(/This team will be deleted/).waitFor({ state: 'detached' })
    await at.button('Delete team').waitFor()
  })

  test('are left by nobody who is their last owner', async () => {
    await at.follow('/people')
    await at.button('Actions for owner@localhost').click()
    await menuItem('Leave team').click()
    await at.button('Leave team', at.dialog()).click()

    await at.page.getByText(/This is the last owner of the team/).waitFor()
    await at.button('Cancel').click()
    expect(at.errors).toEqual([])
  })
})
