import { feature } from '../feature.ts'
import { teamEndpoints } from './endpoints.ts'
import { deleteTeam } from './jobs.ts'

export const teamsFeature = feature({
  endpoints: [...teamEndpoints],
  jobs: [deleteTeam],
})
