import { temporaryDataDir } from '../database.ts'
import { note } from '../progress.ts'
import { median, printReport, type Row } from '../report.ts'
import { startService } from '../service.ts'
import { launchBrowser } from './browser.ts'
import { sendEmails } from './emails.ts'
import { pageSizes, type Weight } from './sizes.ts'
import { startStaticPage } from './static-page.ts'
import { type Visit, visitDashboard, visitStaticPage } from './visits.ts'

const ROUNDS = 5

/** How much a browser has to fetch, and how soon people see and feel something, with a table of many emails behind it. */
export async function dashboard({ emails, isForMachines }: { emails: number; isForMachines: boolean }) {
  const service = await startService(temporaryDataDir(), 'postwren serve')
  const id = await sendEmails(service.url, emails)
  const browser = await launchBrowser(service.url)
  const sizes = await pageSizes(browser, id)
  const [first] = sizes
  for (const { path, bytes } of sizes) note(`${path}: ${kilobytes(bytes)}, ${kilobytes(bytes - first!.bytes)} more`)

  // Both begin with a round that counts nowhere: the first visit has the service compile what it runs.
  const page = await startStaticPage(first!.bytes)
  const ours: Visit[] = []
  const bare: Visit[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [one, other] = [await visitDashboard(browser, id), await visitStaticPage(browser, page)]
    if (round === 0) continue
    ours.push(one)
    bare.push(other)
  }
  printReport([sizeRow(first!), ...paintRows(ours, bare), ...inputRows(ours, bare)], isForMachines)
  await browser.close()
}

const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`

const sizeRow = ({ bytes }: Weight): Row => ({
  what: 'dashboard: first load, packed',
  ours: kilobytes(bytes),
  baseline: null,
  figure: bytes / 1_000,
  unit: 'kB',
  wanted: 'at most',
  must: 200,
  dream: 150,
})

const milliseconds = (value: number) => `${Math.round(value)} ms`

const PAINTS = {
  list: 'list of emails, LCP',
  cachedList: 'list of emails, LCP with the program in the cache',
  email: 'one email, LCP with the program in the cache',
} as const

/** The largest contentful paint after a load, against a page with the same bytes that has nothing to do. */
const paintRows = (ours: readonly Visit[], bare: readonly Visit[]): Row[] =>
  (Object.keys(PAINTS) as (keyof typeof PAINTS)[]).map((what) => {
    const [mine, theirs] = [median(ours.map((one) => one.paints[what])), median(bare.map((one) => one.paints[what]))]
    return {
      what: `dashboard: ${PAINTS[what]}`,
      ours: milliseconds(mine),
      baseline: `a static page with the same bytes: ${milliseconds(theirs)}`,
      figure: mine / theirs,
      unit: '×',
      wanted: 'at most',
      must: 6,
      dream: 3,
    }
  })

const INTERACTIONS = {
  search: 'typing in search',
  page: 'paging',
  open: 'opening an email',
} as const

/** From an input to the next paint, the slowest of a visit (INP). 200 ms is what is called good. */
const inputRows = (ours: readonly Visit[], bare: readonly Visit[]): Row[] =>
  (Object.keys(INTERACTIONS) as (keyof typeof INTERACTIONS)[]).map((what) => {
    const mine = median(ours.map((one) => one.delays[what]))
    return {
      what: `dashboard: ${INTERACTIONS[what]}, INP`,
      ours: milliseconds(mine),
      baseline: `the static page: ${milliseconds(median(bare.map((one) => one.delays[what])))}`,
      figure: mine,
      unit: 'ms',
      wanted: 'at most',
      must: 200,
      dream: 100,
    }
  })
