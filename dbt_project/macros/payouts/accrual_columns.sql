{# The columns of accruals: those that models compute, those that decisions and payments
   copy, and where an adjustment has its own from (money.md M19).
   Written by `make catalogue`: what it says is declared in warehouse/catalogue. #}

{% macro earned_columns() %}
    {{ return(["accrual_id", "organization_id", "project_id", "structure_id", "version_id", "version_number", "creator_id", "criteria_type", "period_start", "period_end", "subject_id", "view_count", "post_count", "currency", "amount_cents", "precise_amount", "limited_by", "timezone"]) }}
{% endmacro %}


{% macro accrual_columns() %}
    {{ return(["accrual_id", "organization_id", "project_id", "structure_id", "version_id", "version_number", "creator_id", "criteria_type", "period_start", "period_end", "subject_id", "view_count", "post_count", "currency", "amount_cents", "precise_amount", "limited_by", "timezone", "kind", "adjusts_accrual_id", "adjustment_number", "booked_in", "reason", "computed_at"]) }}
{% endmacro %}


{% macro corrected_columns() %}
    {{ return(["organization_id", "project_id", "structure_id", "creator_id", "criteria_type", "period_start", "period_end", "subject_id", "view_count", "currency", "timezone"]) }}
{% endmacro %}


{% macro correcting_columns() %}
    {{ return(["version_id", "version_number"]) }}
{% endmacro %}


{% macro columns_of_no_adjustment() %}
    {{ return({"post_count": "bigint", "limited_by": "varchar"}) }}
{% endmacro %}
