import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CLI } from '../../../src/features/oauth/client.ts'
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

  test('somebody signs in, says yes, and disconnects the program later', async () => {
    const { service, page } = at
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

    await page.goto(`${service.url}/oauth/authorize?${asked}`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    // They come back on another way, and the question is still there.
    await page.goto(at.link)
    await page.getByRole('heading', { name: 'Let Resend CLI act for you?' }).waitFor()
    await at.button('Allow').click()
    const { code, state } = Object.fromEntries(await answer)
    // The program has its answer before the browser has the program's.
    await page.waitForURL((url) => url.href.startsWith(callback))
    const words = {
      grant_type: 'authorization_code',
      client_id: CLI.id,
      redirect_uri: callback,
      code_verifier: verifier,
    }
    const reply = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...words, code: code! }),
    })
    const { access_token } = (await reply.json()) as { access_token: string }
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
})
