// What commands, the dashboard and other features use of the sources.

export {
  type ListedDomain,
  type ListedSource,
  type ListedWarmUp,
  listSources,
  listWarmUpsOfDomains,
  steerWarmUp,
} from './list.ts'
