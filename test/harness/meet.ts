import type { Node } from '../../src/kernel/db/nodes.ts'
import type { App } from './app.ts'

/** Until these processes see that each of them does what is asked for. One that an earlier test has stopped is among the others for a while. */
export async function meet(apps: readonly App[], does: (node: Pick<Node, 'works' | 'watches'>) => boolean) {
  const others = (app: App) => apps.filter((one) => one !== app).map(({ db }) => db.presence.node)
  const sees = (app: App, node: number) => app.db.presence.others.some((one) => one.id === node && does(one))
  await Promise.all(apps.map((app) => app.until(() => others(app).every((node) => sees(app, node)))))
}
