import { expect, test } from 'vitest'
import { documentedMetrics, shownMetrics } from '../harness/metrics-page.ts'
import { Service } from '../harness/service.ts'

test('monitoring.md names what /metrics shows, and nothing else', async () => {
  const service = await Service.start({
    settings: { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1' },
  })

  const shown = shownMetrics(await (await fetch(`${service.url}/metrics`)).text())

  const typesOf = (metrics: ReturnType<typeof shownMetrics>) =>
    Object.fromEntries([...metrics].map(([name, { type }]) => [name, type]).sort())
  expect(typesOf(documentedMetrics())).toEqual(typesOf(shown))
})
