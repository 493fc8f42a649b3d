-- Words and addresses are in documents in another form, in which a whole word and longer ones that begin with it are apart. All documents are made
-- again, from the newest to the oldest, by the search that needs them or by the job.
truncate search_documents;
-- A little above `high`: an item that was not ready when its neighbours were indexed was left at it, without a document.
update search_progress set low = (left(high::text, 28) || 'ffffffff')::uuid;

-- What changes is noted: 1 s for 300,000 contacts.
truncate search_changes;
insert into search_changes (team_id, kind, id)
select team_id, 'contact', id from contacts
union all select team_id, 'template', id from templates
union all select team_id, 'broadcast', id from broadcasts
union all select team_id, 'suppression', id from suppressions;
