import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { Metrics } from './metrics.ts'
import { openMetricsOf } from './open-metrics.ts'

const CONTEXT = '0af7651916cd43dd8448eb211c80319cb7ad6b7169203331'
const EXEMPLAR = ' # {trace_id="0af7651916cd43dd8448eb211c80319c",span_id="b7ad6b7169203331"} 0.003 '

test('a histogram shows the trace of an observation, to who asks for OpenMetrics', async () => {
  const metrics = new Metrics(null, { hasExemplars: true })
  metrics.observeRequest({ endpoint: 'emails.send', status: 200 }, 0.003, CONTEXT)
  metrics.observeRequest({ endpoint: 'emails.send', status: 200 }, 7, CONTEXT)
  metrics.observeDelivery('single', 0.003, CONTEXT)
  metrics.observeRequest({ endpoint: 'emails.get', status: 200 }, 0.003)

  const text = await metrics.render('open metrics')

  const shown = text.split('\n').filter((line) => line.includes(EXEMPLAR))
  expect(shown).toHaveLength(2)
  expect(shown[0]).toMatch(
    /^postwren_http_request_duration_seconds_bucket\{le="0\.005",endpoint="emails\.send",status="2xx"\} 1 # /,
  )
  expect(text).toMatch(/_bucket\{le="\+Inf",endpoint="emails\.send",status="2xx"\} 2 # .* 7 \d/)
  expect(text).toContain('le="1.0"')
  expect(text).toMatch(/\n# EOF\n$/)
})

test('counters are named as OpenMetrics wants it, and keep their names in the other form', async () => {
  const metrics = new Metrics(null, { hasExemplars: true })
  const before = namesIn(await metrics.render())

  const text = await metrics.render('open metrics')

  expect(text).toContain('# TYPE postwren_delivery_outcomes counter\n')
  expect(text).toContain('\npostwren_delivery_outcomes_total{outcome="delivered"} 0\n')
  const plain = await metrics.render()
  expect(namesIn(plain)).toEqual(before)
  expect(plain).not.toMatch(/trace_id|# EOF/)
  expect(plain).toContain('# TYPE postwren_delivery_outcomes_total counter\n')
})

const namesIn = (text: string) => text.match(/^# TYPE .*$/gm)

test('`Accept` chooses the form', async () => {
  const app = await startApp()

  const plain = await app.send({ method: 'GET', url: '/metrics', headers: { accept: 'text/plain;version=0.0.4' } })
  const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4'
  const open = await app.send({ method: 'GET', url: '/metrics', headers: { accept } })

  expect(plain.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(open.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  expect(open.text).toMatch(/# EOF\n$/)
})

test('metrics of several processes are one family, with the series of each', () => {
  const of = (process: string) => [
    {
      name: 'a_total',
      help: 'A "word".',
      type: 'counter',
      aggregator: 'first',
      values: [{ labels: { process }, value: 1 }],
    },
  ]

  const text = openMetricsOf([of('1'), of('2')] as never)

  expect(text).toBe('# TYPE a counter\n# HELP a A \\"word\\".\na_total{process="1"} 1\na_total{process="2"} 1\n# EOF\n')
})
