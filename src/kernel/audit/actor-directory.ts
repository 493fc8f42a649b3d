import type { Sql } from '../db/sql.ts'
import type { AuditActor } from './record.ts'

/** What the audit log asks about who acts. Keys, people and programs belong to features, which answer with parts of its statements. */
export interface ActorDirectory {
  /** The name as it is in this moment; null: nobody is known by this id, or the actor has no name. */
  nameOf(team: string, actor: Omit<AuditActor, 'name'>): Sql
  /** A query for the `team_id` of each team that a person is in. */
  teamsOf(userId: string): Sql
}
