"""What passes cdk-nag, cfn-lint and an emulator, and still breaks in a real account: checked on the templates.

A check is a function of :class:`Templates` that yields one sentence per fault, beginning with the logical id. Its name
and the first line of its docstring are what the synth prints. Each has a test that plants its bug.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from infra.checks import account, data, edge, flow, functions, lasting, operating, registry
from infra.checks.template import Templates

Check = Callable[[Templates], Iterator[str]]

CHECKS: tuple[Check, ...] = (
    data.data_stack_can_roll_back,
    data.kept_but_no_orphans,
    data.table_recovers,
    data.kms_follows_data,
    data.partitions_are_named,
    data.conditions_need_their_keys,
    data.tokens_are_private,
    data.runs_are_told_by_who_asks,
    data.memberships_come_from_outside,
    data.badges_come_from_the_sign_in,
    data.deletes_are_few,
    data.queries_stay_on_work,
    data.references_exist,
    lasting.second_factor_is_a_choice,
    lasting.one_table_is_used,
    lasting.functions_follow_the_data_stack,
    operating.bodies_are_kept_close,
    operating.bodies_are_not_lost,
    operating.operators_never_decide,
    operating.only_operators_freeze,
    functions.functions_own_their_logs,
    functions.functions_own_their_role,
    functions.no_reservations,
    functions.functions_run_as_built,
    functions.api_functions_answer_in_time,
    functions.turns_are_not_repeated,
    functions.environments_fit,
    flow.stream_is_edges,
    flow.stream_survives_poison,
    flow.rights_come_first,
    flow.one_answers_tokens,
    flow.machine_ends_or_lists,
    flow.machine_retries_timeouts,
    flow.tasks_outlast_functions,
    flow.async_failures_are_kept,
    flow.timers_are_ours,
    registry.resume_calls_the_registry,
    registry.what_is_pushed_to_has_its_form,
    registry.turns_are_asked_of_aliases,
    edge.routes_ask_who,
    edge.api_has_a_brake,
    edge.one_permission_per_function,
    edge.callers_get_their_routes,
    edge.login_is_narrow,
    edge.pool_can_stay,
    edge.mail_can_be_sent,
    account.names_do_not_clash,
    account.vended_logs,
    account.nothing_runs_at_deploy,
    account.rights_exist,
    account.policies_fit,
    account.service_roles_name_the_account,
    account.alarms_arrive,
    account.alarms_cover,
    account.queues_take_from_everybody,
    account.works_in_any_partition,
)

__all__ = ["CHECKS", "Check", "Templates", "findings"]


def findings(templates: Templates) -> Iterator[tuple[Check, str]]:
    """Every fault with the check that found it."""
    for check in CHECKS:
        for sentence in check(templates):
            yield check, sentence
