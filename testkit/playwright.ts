// Fixtures for Playwright. Its package is the application's: it is no dependency of ours.
import { test as base, expect as baseExpect } from '@playwright/test'
import { matchers } from './matchers.ts'
import { sandbox as makeSandbox, type Sandbox } from './sandbox.ts'
import { type Postwren, startPostwren } from './server.ts'

type Server = Pick<Postwren, 'url' | 'apiKey'>

/**
 * `sandbox` is one for each test. It is made in the Postwren of the global set-up (`postwren/testing/setup`), or of `POSTWREN_URL` and
 * `POSTWREN_API_KEY`; without either each worker starts one.
 */
export const test = base.extend<{ sandbox: Sandbox }, { postwren: Server }>({
  postwren: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed
    async ({}, use) => {
      const { POSTWREN_URL: url, POSTWREN_API_KEY: apiKey } = process.env
      if (url && apiKey) return use({ url, apiKey })
      const postwren = await startPostwren()
      await use(postwren)
      await postwren.stop()
    },
    { scope: 'worker' },
  ],
  sandbox: async ({ postwren: { url, apiKey } }, use, { title }) => {
    const made = await makeSandbox({ url, apiKey, name: title.slice(0, 100) || 'A test' })
    await use(made)
    await made.delete()
  },
})

/** Playwright's, with the matchers for messages. */
export const expect = baseExpect.extend(matchers)
