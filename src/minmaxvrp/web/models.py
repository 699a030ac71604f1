"""Requests and answers as pydantic models: they check the outer shape and describe the API in OpenAPI.

What is inside an instance or a plan is checked by the readers of `problem.files`, whose messages are better.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ..result import Then

InstanceDocument = Annotated[
    dict[str, Any], Field(description="JSON of an instance, format `minmaxvrp-instance` (docs/formats.md).")
]
PlanDocument = Annotated[
    dict[str, Any], Field(description="JSON of a solution, format `minmaxvrp-solution` (docs/formats.md).")
]


class Strict(BaseModel):
    """A request: unknown fields are refused, never ignored."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class JobOptions(Strict):
    """How to solve."""

    seconds: float = Field(10.0, ge=0.0, description="Time limit of the search.")
    vehicles: int | None = Field(None, ge=1, description="Instead of the instance's number.")
    seed: int = Field(0, ge=0, lt=2**32)
    then: Then = Field("balance", description="What counts after the longest route.")
    workers: int = Field(1, ge=1, le=64, description="Searches side by side in this job.")
    start: PlanDocument | None = Field(None, description="A plan to begin with; must keep all rules.")


class JobRequest(Strict):
    """An instance to solve."""

    instance: InstanceDocument
    options: JobOptions = JobOptions.model_validate({})


class CheckRequest(Strict):
    """A plan to judge."""

    instance: InstanceDocument
    plan: PlanDocument | Annotated[str, Field(description="Or the text of a file of a plan.")]
    name: str = Field("plan.json", description="Name of that file; its ending says the format.")


class Created(BaseModel):
    """Where to find a job."""

    id: str
    customers: int
    vehicles: int
    notices: list[str] = Field(description="What in the instance was not used.")


class JobDocument(BaseModel):
    """A job: its state, the best plan so far, the bound. Lengths are in the instance's unit."""

    id: str
    status: str = Field(description="`queued`, `running`, `done` or `failed`.")
    customers: int
    vehicles: int
    notices: list[str]
    error: str | None = None
    seconds: float | None = None
    iterations: int | None = None
    makespan: float | None = None
    lower_bound: float | None = None
    gap: float | None = Field(None, description="makespan / lower_bound − 1, null if not known.")
    routes: list[list[int]] | None = Field(
        None, description="Node numbers, both depots included; an open route ends at its last customer."
    )
    lengths: list[float] | None = None
    travel: list[float] | None = None
    service: list[float] | None = None
    over_limit: dict[str, Any] | None = Field(
        None,
        description="If the plan breaks `max_length`: limit, makespan, impossible, stops, alone.",
    )
    plan: PlanDocument | None = Field(None, description="When done.")


class BrokenRule(BaseModel):
    """One broken rule."""

    rule: str
    text: str
    nodes: list[int]
    route: int | None = Field(description="Counted from 0; null where it is about several or none.")


class Verdict(BaseModel):
    """What the checker says about a plan."""

    ok: bool
    violations: list[BrokenRule]
    lower_bound: float
    makespan: float | None = None
    gap: float | None = None
    routes: list[list[int]] | None = None
    lengths: list[float] | None = None
    travel: list[float] | None = None
    service: list[float] | None = None
    notices: list[str]


class ReadAnswer(BaseModel):
    """The instance in a file."""

    instance: InstanceDocument
    notices: list[str]


class Error(BaseModel):
    """What went wrong, in one line for people."""

    error: str
