{# The counters of a reading. `of_what` is the plural that daily marts use. #}

{% macro video_counters() %}
    {{ return({"view": "views", "like": "likes", "comment": "comments", "share": "shares", "save": "saves"}) }}
{% endmacro %}


{% macro account_counters() %}
    {{ return(["follower", "following", "total_likes", "video"]) }}
{% endmacro %}
