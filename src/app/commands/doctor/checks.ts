import { systemClock } from '../../../platform/clock.ts'
import { checkDatabase } from './database.ts'
import { checkDns } from './dns.ts'
import type { Check } from './finding.ts'
import { checkNode, checkOpenFiles } from './machine.ts'
import { checkModel } from './model.ts'
import { checkOutgoing } from './outgoing.ts'
import { checkPorts } from './ports.ts'
import { checkRelay } from './relay.ts'
import { checkRetention } from './retention.ts'
import { checkRoutes } from './routes.ts'
import { checkRunning } from './running.ts'
import { checkSettings } from './settings.ts'
import { checkSources } from './sources.ts'
import { checkSpamFilter } from './spam-filter.ts'
import { checkBlobStore, checkDataFolder } from './storage.ts'
import { checkCertificate } from './tls.ts'

/** In the order in which they are printed; they run side by side. */
export const CHECKS: readonly Check[] = [
  { name: 'settings', run: checkSettings },
  { name: 'node', run: () => checkNode() },
  { name: 'open_files', run: () => checkOpenFiles() },
  { name: 'data_folder', run: checkDataFolder },
  { name: 'database', run: checkDatabase },
  { name: 'blob_store', run: checkBlobStore },
  { name: 'service', run: checkRunning },
  { name: 'ports', run: checkPorts },
  { name: 'tls', run: (input) => checkCertificate(input, systemClock.now().getTime()) },
  { name: 'relay', run: checkRelay },
  { name: 'routes', run: checkRoutes },
  { name: 'dns', run: checkDns },
  { name: 'outgoing', run: (input) => checkOutgoing(input) },
  { name: 'sources', run: checkSources },
  { name: 'agent', run: checkModel },
  { name: 'spam_filter', run: checkSpamFilter },
  { name: 'retention', run: checkRetention },
]
