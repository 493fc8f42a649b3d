import { expect, test } from 'vitest'
import { guideFiles } from '../../scripts/build-guide.mjs'
import { blocksOf, PageShell } from '../harness/page-commands.ts'
import { Service } from '../harness/service.ts'

// Every block of commands in the guide is run as it stands there, in the order of its page. The pages of docs/operations/night have a world of their own:
// test/processes/night-pages.test.ts.

/** Between which blocks of a page something has to happen: by the number of blocks that have been run. */
const RESTART_AFTER: Readonly<Record<string, number>> = { 'docs/operations/rotate-keys.md': 1 }

const PAGES = [
  'docs/moving-out.md',
  'docs/operations/backup-and-restore.md',
  'docs/operations/delivery.md',
  'docs/operations/going-live.md',
  'docs/operations/limits.md',
  'docs/operations/personal-data.md',
  'docs/operations/rotate-keys.md',
  'docs/webhooks.md',
]

test('no page has commands that are not run', () => {
  const withCommands = guideFiles().filter((page) => blocksOf(page).length > 0 && !page.includes('/night/'))

  expect(withCommands.sort()).toEqual(PAGES)
})

test.each(PAGES)('the commands of %s do what it says', async (page) => {
  let service = await Service.start()
  const { dataDir } = service
  const { body: webhook } = await service.call('POST', '/webhooks', {
    endpoint: 'https://example.com/hook',
    events: ['email.sent', 'email.bounced'],
  })
  const { body: domain } = await service.call('POST', '/domains', { name: 'acme.example', dkim: 'ed25519' })
  const environment = {
    ...{ POSTWREN_DATA_DIR: dataDir, POSTWREN_PORT: new URL(service.url).port, POSTWREN_SMTP_PORT: '0' },
    ...{ URL: service.url, API: service.url, KEY: service.token, ID: webhook.id, DOMAIN_ID: domain.id },
  }
  const shell = new PageShell({ environment })

  for (const [done, block] of blocksOf(page).entries()) {
    if (done === RESTART_AFTER[page]) {
      await service.stop()
      service = await Service.start({ dataDir, settings: { POSTWREN_PORT: environment.POSTWREN_PORT } })
    }
    const { code, output } = await shell.run(block)
    expect(code, `${block.place}\n${output}`).toBe(0)
  }
})
