import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CLI } from '../../../src/features/oauth/client.ts'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { newVerifier } from '../../harness/oauth.ts'

/** A program that waits for the answer, as a command line does. */
async function waitingProgram() {
  const server = createServer()
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const answer = asked.then(([request, response]) => {
    response.end('Go back to the terminal.')
    return new URL(request.url!, 'http://localhost').searchParams
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { answer, callback: `http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth/callback` }
}

describe.runIf(CHROMIUM)('a program signs somebody in', () => {
  const at = startDashboard({ isSignedIn: false })

  /** Where a program sends somebody, and the token that it gets once they have said yes. */
  async function programThatAsks() {
    const { answer, callback } = await waitingProgram()
    const { verifier, challenge } = newVerifier()
    const asked = new URLSearchParams({
      client_id: CLI.id,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'full_access',
      state: 'mine',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    const token = async () => {
      const { code, state } = Object.fromEntries(await answer)
      // The program has its answer before the browser has the program's.
      await at.page.waitForURL((url) => url.href.startsWith(callback))
      const words = {
        grant_type: 'authorization_code',
        client_id: CLI.id,
        redirect_uri: callback,
        code_verifier: verifier,
      }
      const reply = await fetch(`${at.service.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ ...words, code: code! }),
      })
      const { access_token } = (await reply.json()) as { access_token: string }
      return { access_token, state }
    }
    return { asked: `${at.service.url}/oauth/authorize?${asked}`, token }
  }

  test('somebody signs in, says yes, and disconnects the program later', async () => {
    const { service, page } = at
    const { asked, token } = await programThatAsks()

    await page.goto(asked)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    // They come back on another way, and the question is still there.
    await page.goto(at.link)
    await page.getByRole('heading', { name: 'Let Resend CLI act for you?' }).waitFor()
    await at.button('Allow').click()
    const { access_token, state } = await token()
    const list = () => fetch(`${service.url}/emails`, { headers: { authorization: `Bearer ${access_token}` } })

    expect(state).toBe('mine')
    expect((await list()).status).toBe(200)
    await at.open('/connected-apps')
    await at.button('Disconnect Resend CLI').click()
    await at.button('Disconnect app', at.dialog()).click()
    await page.getByText('No connected apps').waitFor()
    expect((await list()).status).toBe(401)
    expect(at.errors).toEqual([])
  })

  test('somebody says yes within limits, sees what the program was refused, and lifts them', async () => {
    const { service, page } = at
    const { asked, token } = await programThatAsks()
    await page.goto(asked)
    await page.getByLabel('Restrict what it may send').check()
    await at.button('Only these').click()
    await at.button('Allow').click()
    await page.getByText('Name at least one address, domain or segment').waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.getByLabel('Domains').fill('example.com')
    await page.getByText('It can write only to: any address at example.com.').waitFor()
    await at.button('Allow').click()
    const { access_token } = await token()
    const send = async (to: string) => {
      const email = { from: 'app@example.com', to, subject: 'Of the app', text: 'Hi' }
      return (await service.call('POST', '/emails', email, access_token)).status
    }

    expect([await send('ada@example.com'), await send('bob@example.org')]).toEqual([200, 403])
    await at.open('/connected-apps')
    const apps = page.getByRole('table', { name: 'connected apps of the team' })
    await apps.getByRole('row', { name: /Resend CLI.*Policy.*Connected/i }).waitFor()
    await at.button('Actions for Resend CLI', apps).first().click()
    await page.getByRole('menuitem', { name: 'Policy and activity' }).click()
    await at
      .dialog()
      .getByRole('row', { name: /bob@example.org Recipients Of the app/ })
      .waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await at.button('Edit policy', at.dialog()).click()
    await at.button('Anyone', at.dialog()).click()
    await at.dialog().getByLabel('No Bcc').check()
    await at.button('Save policy', at.dialog()).click()
    await page.getByText('Policy saved').waitFor()
    expect(await send('bob@example.org')).toBe(200)
    expect(at.errors).toEqual([])
  })
})
